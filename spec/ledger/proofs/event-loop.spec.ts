import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { type EventLoop, ownEventLoop, whileBusy } from '../../../src/ledger/proofs/event-loop.js';

const patient = (): boolean => false;

describe('the wait while an event loop is busy', () => {
  /** An event loop that is at work for these shares of its time, one share for each pause. */
  const scene = (shares: readonly number[]): EventLoop & { readonly pauses: number[] } => {
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

  it('ends at once if it is idle', async () => {
    const idle = scene([0.2]);
    await whileBusy(idle, 1_000, patient);
    expect(idle.pauses).to.deep.equal([]);
  });

  it('ends once it is less busy', async () => {
    const busy = scene([0.99, 0.8, 0.5]);
    await whileBusy(busy, 1_000, patient);
    expect(busy.pauses).to.have.length(2);
  });

  it('ends once the work is urgent', async () => {
    const busy = scene([]);
    await whileBusy(busy, 1_000, () => busy.pauses.length === 2);
    expect(busy.pauses).to.have.length(2);
  });

  it('is not longer than allowed', async () => {
    const busy = scene([]);
    await whileBusy(busy, 500, patient);
    expect(busy.clock()).to.equal(500);
    await whileBusy(busy, 500, patient);
    expect(busy.clock()).to.equal(500);
  });

  it('is for the event loop of this process, and a stop ends it', async () => {
    const stop = new AbortController();
    const loop = ownEventLoop(stop.signal);
    loop.utilization();
    const until = loop.clock() + 10;
    while (loop.clock() < until);
    expect(loop.utilization()).to.equal(1);
    await eventually(
      async () => loop.utilization() < 0.7 || undefined,
      SOON_MS,
      () => 'never idle',
    );
    const waiting = whileBusy({ ...loop, utilization: () => 1 }, Infinity, patient);
    stop.abort(new Error('the service is stopping'));
    const ended = await waiting.catch((error: unknown) => error);
    expect(ended).to.have.property('name', 'AbortError');
  });
});
