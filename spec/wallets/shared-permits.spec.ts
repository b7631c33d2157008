import { expect } from 'chai';
import { sharedPermits } from '../../src/wallets/shared-permits.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes permits for an owner. Returns those that it has got, in order. */
function taking(permits: ReturnType<typeof sharedPermits>, owner: string, count: number) {
  const held: (() => void)[] = [];
  for (let i = 0; i < count; i += 1)
    void permits.acquire(owner, new AbortController().signal).then((release) => held.push(release));
  return held;
}

describe('shared permits', () => {
  it('are left to others by half if one owner wants all', async () => {
    const permits = sharedPermits(8);
    const one = taking(permits, 'a', 8);
    const other = taking(permits, 'b', 8);
    await turn();
    expect([one.length, other.length]).to.deep.equal([4, 2]);
  });

  it('go to the owner that may have one and has waited longest', async () => {
    const permits = sharedPermits(4);
    const one = taking(permits, 'a', 4);
    await turn();
    expect(one).to.have.length(2);
    one[0]!();
    await turn();
    expect(one).to.have.length(3);
  });

  it('are all free again when all were given back', async () => {
    const permits = sharedPermits(4);
    const all = taking(permits, 'a', 9);
    for (let i = 0; i < 9; i += 1) {
      await turn();
      all[i]!();
    }
    expect(permits.idle).to.equal(true);
  });

  it('are no longer waited for once the signal is aborted', async () => {
    const permits = sharedPermits(1);
    await permits.acquire('a', new AbortController().signal);
    const leaving = new AbortController();
    const waiting = permits.acquire('b', leaving.signal).catch((error: unknown) => error);
    leaving.abort(new Error('enough'));
    expect(((await waiting) as Error).message).to.equal('enough');
    const late = permits.acquire('b', leaving.signal).catch((error: unknown) => error);
    expect(((await late) as Error).message).to.equal('enough');
  });
});
