import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { longestTurn } from './longest-turn.js';

/** Computes for some CPU time, ms. */
function compute(ms: number): void {
  const before = process.cpuUsage();
  for (let used = 0; used < ms * 1_000;) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
}

describe('the longest turn of the event loop', () => {
  it('is that of the work, whatever its turns are together', async () => {
    const few = await longestTurn(async () => {
      for (let i = 0; i < 30; i += 1) {
        compute(2);
        await setImmediate();
      }
    });
    const one = await longestTurn(async () => {
      await setImmediate();
      compute(60);
    });
    expect(one).to.be.above(few);
  });

  it('does not count the time for which the thread waits', async () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const waiting = await longestTurn(async () => {
      await setImmediate();
      Atomics.wait(cell, 0, 0, 200);
    });
    expect(waiting).to.be.below(process.platform === 'linux' ? 100 : 300);
  });
});
