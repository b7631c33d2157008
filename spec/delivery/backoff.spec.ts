import { expect } from 'chai';
import fc from 'fast-check';
import { nextDelayMs } from '../../src/delivery/backoff.js';

const almostOne = 1 - Number.EPSILON;

describe('backoff', () => {
  it('doubles the longest wait from one second to five minutes', () => {
    const longest = [1, 2, 3, 8, 9, 10, 11, 5_000].map((attempt) =>
      nextDelayMs({ attempt, random: almostOne }),
    );
    expect(longest).to.deep.equal([1_000, 2_000, 4_000, 128_000, 256_000, 300_000, 300_000, 300_000]);
  });

  it('spreads the waits evenly from nothing to the longest', () => {
    const waits = [0, 0.25, 0.5, 0.75].map((random) => nextDelayMs({ attempt: 4, random }));
    expect(waits).to.deep.equal([0, 2_000, 4_000, 6_000]);
  });

  it('waits at least as long as the receiver asks for, and spreads those waits over a second', () => {
    expect(nextDelayMs({ attempt: 1, random: 0, retryAfterS: 30 })).to.equal(30_000);
    expect(nextDelayMs({ attempt: 1, random: 0.5, retryAfterS: 30 })).to.equal(30_500);
    expect(nextDelayMs({ attempt: 1, random: 0.5, retryAfterS: 3_600 })).to.equal(3_600_500);
  });

  it('keeps backing off from a receiver that asks for less', () => {
    expect(nextDelayMs({ attempt: 10, random: 0.5, retryAfterS: 1 })).to.equal(150_000);
    expect(nextDelayMs({ attempt: 3, random: 0, retryAfterS: 0 })).to.equal(0);
  });

  it('gives whole milliseconds within its bounds for every attempt', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), random, (attempt, random) => {
        const wait = nextDelayMs({ attempt, random });
        expect(wait).to.satisfy(Number.isSafeInteger).and.to.be.within(0, 300_000);
      }),
    );
  });
});
