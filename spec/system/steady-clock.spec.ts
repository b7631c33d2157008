import { expect } from 'chai';
import fc from 'fast-check';
import { steadyClock } from '../../src/system/steady-clock.js';

describe('a steady clock', () => {
  it('goes as the clock does, and never back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -10_000, max: 10_000 })), (steps) => {
        let now = 50_000;
        const steady = steadyClock(() => now);
        let last = steady();
        expect(last).to.equal(now);
        for (const step of steps) {
          now += step;
          const at = steady();
          expect(at - last).to.equal(Math.max(0, step));
          last = at;
        }
      }),
    );
  });
});
