import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { Refusal } from '../../../src/errors.js';
import { SigningQueue, SIGNING_GRACE_MS } from '../../../src/ledger/account/signing-queue.js';
import type { SigningAccount } from '../../../src/ledger/account/signing-account.js';
import type { Accepted } from '../../../src/ledger/account/account-machine.js';
import { observed } from '../../actors/stage/queue.js';
import { NOON } from '../driven-ledger.js';
import { ManualRequest, nameOf, signByHand, turn } from './manual-request.js';

describe('a request in the signing queue at its deadline', () => {
  /** Soon in real time: the queue's timer is a real one. */
  const DEADLINE = NOON + 5;
  const PARALLEL = 64;

  /** A queue on a clock that the spec sets, and requests with a deadline. */
  function scene(options: Partial<SigningAccount> = {}) {
    let time = NOON;
    const committed: { name: string; nonce: number }[] = [];
    let next = 0;
    const queue = new SigningQueue(
      {
        sign: signByHand,
        nonces: async () => ({ next, free: [], refusals: 0 }),
        async commit(signatures) {
          for (const { request, nonce } of signatures) {
            expect(nonce, 'a gap or a repeat').to.equal(next);
            committed.push({ name: nameOf(request), nonce });
            next += 1;
          }
          return { accepted: signatures.length, fenced: false, next, free: [], refusals: 0 };
        },
        ...options,
      },
      () => time,
    );
    const enter = async (count: number, deadline: number, prefix = 'j') => {
      const requests = Array.from({ length: count }, (_, i) => new ManualRequest(`${prefix}${i}-`, deadline));
      const hashes = requests.map((request) => queue.add(request));
      for (const hash of hashes) hash.catch(() => undefined);
      await turn();
      return { requests, hashes };
    };
    return { queue, committed, enter, setTime: (now: number): void => void (time = now) };
  }

  const expectNothingDone = async (hash: Promise<Hex>): Promise<void> => {
    const error = (await hash.catch((e: unknown) => e)) as Refusal;
    expect(error).to.be.instanceOf(Refusal).and.include({ code: 'unavailable' });
    expect(error.message).to.contain('nothing was done');
  };

  it('leaves if it has no nonce, and stays if it is being signed', async () => {
    const { enter, setTime, committed } = scene();
    const first = await enter(PARALLEL, DEADLINE);
    const second = await enter(3, DEADLINE, 'k');
    setTime(DEADLINE);
    for (const hash of second.hashes) await expectNothingDone(hash);
    expect(second.requests.flatMap(({ asked }) => asked)).to.deep.equal([]);
    for (const request of first.requests) request.last.settle('signed');
    expect(await Promise.all(first.hashes)).to.have.length(PARALLEL);
    expect(committed).to.have.length(PARALLEL);
  });

  it('leaves if the nonces of the account are not known by then', async () => {
    const { enter, setTime, queue } = scene({ nonces: () => new Promise(() => undefined) });
    const { hashes } = await enter(2, DEADLINE);
    setTime(DEADLINE);
    for (const hash of hashes) await expectNothingDone(hash);
    expect(queue.idle).to.equal(true);
  });

  it('leaves two seconds later if it is not signed by then, and the last request gets its nonce', async () => {
    const { enter, setTime, committed } = scene();
    const late = await enter(1, DEADLINE, 'late');
    const others = await enter(2, DEADLINE + 60_000);
    setTime(DEADLINE + SIGNING_GRACE_MS);
    await expectNothingDone(late.hashes[0]!);
    late.requests[0]!.last.settle('signed');
    await turn();
    expect(committed, 'a late signature counted').to.deep.equal([]);
    expect(others.requests.map(({ asked }) => asked.map(({ nonce }) => nonce))).to.deep.equal([[1], [2, 0]]);
    for (const request of others.requests) request.last.settle('signed');
    expect(await Promise.all(others.hashes)).to.deep.equal(['0xj0-1', '0xj1-0']);
  });

  it('leaves together with others, and a request that stays is signed once more at most', async () => {
    const { enter, setTime, committed, queue } = scene();
    const hashes: Promise<Hex>[] = [];
    const requests: ManualRequest[] = [];
    for (let i = 0; i < 12; i += 1) {
      const one = await enter(1, i % 2 === 0 ? DEADLINE + 60_000 : DEADLINE, `${i}-`);
      hashes.push(one.hashes[0]!);
      requests.push(one.requests[0]!);
    }
    setTime(DEADLINE + SIGNING_GRACE_MS);
    for (const hash of hashes.filter((_, i) => i % 2 === 1)) await expectNothingDone(hash);
    const staying = requests.filter((_, i) => i % 2 === 0);
    expect(Math.max(...staying.map(({ asked }) => asked.length))).to.equal(2);
    expect(staying.map(({ last }) => last.nonce).toSorted((a, b) => a - b)).to.deep.equal([0, 1, 2, 3, 4, 5]);
    for (const request of staying) request.last.settle('signed');
    await Promise.all(hashes.filter((_, i) => i % 2 === 0));
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(queue.idle).to.equal(true);
  });

  it('stays while its signature is being committed', async () => {
    let committed!: (reply: Accepted) => void;
    const commit = new Promise<Accepted>((resolve) => (committed = resolve));
    const { enter, setTime } = scene({ commit: () => commit });
    const { requests, hashes } = await enter(1, DEADLINE);
    requests[0]!.last.settle('signed');
    await turn();
    const behind = await enter(1, DEADLINE, 'k');
    setTime(DEADLINE + SIGNING_GRACE_MS);
    await expectNothingDone(behind.hashes[0]!);
    committed({ accepted: 1, fenced: false, next: 1, free: [], refusals: 0 });
    expect(await hashes[0]).to.equal('0xj0-0');
  });

  it('leaves at once if another node has used its nonce', async () => {
    let committed!: (reply: Accepted) => void;
    const commit = new Promise<Accepted>((resolve) => (committed = resolve));
    const { enter, setTime, queue } = scene({ commit: () => commit });
    const { requests, hashes } = await enter(1, DEADLINE);
    requests[0]!.last.settle('signed');
    await turn();
    setTime(DEADLINE);
    committed({ accepted: 0, fenced: false, next: 1, free: [], refusals: 0 });
    await expectNothingDone(hashes[0]!);
    expect(requests[0]!.asked).to.have.length(1);
    expect(queue.idle).to.equal(true);
  });

  it('leaves at once if a failed commit takes its nonce away', async () => {
    let fail!: (error: Error) => void;
    let asked = 0;
    const { enter, setTime } = scene({
      commit: () => new Promise((_, reject) => (fail = reject)),
      nonces: () =>
        asked++ === 0 ? Promise.resolve({ next: 0, free: [], refusals: 0 }) : new Promise(() => {}),
    });
    const first = await enter(1, DEADLINE + 60_000);
    const second = await enter(1, DEADLINE + 50_000, 'k');
    first.requests[0]!.last.settle('signed');
    await turn();
    setTime(DEADLINE + 50_000);
    const left = observed(second.hashes[0]!);
    fail(new Error('the store is away'));
    await turn();
    expect(left.settled).to.equal(true);
    await expectNothingDone(second.hashes[0]!);
  });

  it('is refused if it comes after its deadline', async () => {
    const { enter } = scene();
    const { requests, hashes } = await enter(1, NOON);
    await expectNothingDone(hashes[0]!);
    expect(requests[0]!.asked).to.deep.equal([]);
  });
});
