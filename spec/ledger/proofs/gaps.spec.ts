import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { type Gaps, nextGap, processGaps } from '../../../src/ledger/proofs/gaps.js';

describe('the next gap in the work of a process', () => {
  /** Gaps of a process that is at work for these shares of its time, in turns of a pause. */
  const scene = (shares: readonly number[]): Gaps & { readonly pauses: number[] } => {
    let time = 0;
    const left = [...shares];
    const pauses: number[] = [];
    return {
      pauses,
      utilization: () => left.shift() ?? 1,
      async pause(ms) {
        pauses.push(ms);
        time += ms;
      },
      clock: () => time,
    };
  };

  it('is now if the process is idle', async () => {
    const idle = scene([0.2]);
    await nextGap(idle, 1_000);
    expect(idle.pauses).to.deep.equal([]);
  });

  it('comes once the process is less busy', async () => {
    const busy = scene([0.99, 0.8, 0.5]);
    await nextGap(busy, 1_000);
    expect(busy.pauses).to.have.length(2);
  });

  it('is not waited for longer than allowed', async () => {
    const busy = scene([]);
    await nextGap(busy, 500);
    expect(busy.clock()).to.equal(500);
    await nextGap(busy, 500);
    expect(busy.clock()).to.equal(500);
  });

  it('is that of the event loop, and a stop ends the wait', async () => {
    const stop = new AbortController();
    const gaps = processGaps(stop.signal);
    gaps.utilization();
    const until = gaps.clock() + 10;
    while (gaps.clock() < until);
    expect(gaps.utilization()).to.equal(1);
    await eventually(
      async () => gaps.utilization() < 0.7 || undefined,
      SOON_MS,
      () => 'never idle',
    );
    const waiting = nextGap({ ...gaps, utilization: () => 1 }, Infinity);
    stop.abort(new Error('the service is stopping'));
    const ended = await waiting.catch((error: unknown) => error);
    expect(ended).to.have.property('name', 'AbortError');
  });
});
