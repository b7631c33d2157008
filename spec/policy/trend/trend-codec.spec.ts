import { expect } from 'chai';
import type { TrendBucket } from '../../../src/policy/trend/trend-buckets.js';
import { decoded, encoded } from '../../../src/policy/trend/trend-codec.js';

const NOON = Date.UTC(2026, 0, 15, 12) / 60_000;

const bucket = (given: Partial<TrendBucket>): TrendBucket => ({
  minute: NOON,
  length: 1,
  count: 1,
  mean: 0,
  min: 0,
  max: 0,
  ...given,
});

describe('the stored buckets of a trend', () => {
  it('are read as they were written, percentages with three decimals', () => {
    const buckets = [
      bucket({ minute: NOON - 600, length: 10, count: 130, mean: 46.752, min: 0, max: 100 }),
      bucket({ minute: NOON - 590, length: 10, count: 70_000, mean: 3.1, min: 3.099, max: 3.101 }),
      bucket({ minute: NOON - 60, count: 5, mean: 99.99, min: 12.5, max: 100 }),
      bucket({ minute: NOON, count: 1, mean: 0.001, min: 0.001, max: 0.001 }),
    ];
    expect(decoded(encoded(buckets))).to.deep.equal(buckets);
  });

  it('may have any numbers, to five digits of the largest', () => {
    for (const size of [1e-300, 4e-9, 0.07, 1, 812, 1e9, 3e300, Number.MAX_VALUE]) {
      const buckets = [
        bucket({ mean: -size / 3, min: -size, max: size / 7 }),
        bucket({ minute: NOON + 3, count: 2 ** 40, mean: size / 2, min: 0, max: size }),
      ];
      const read = decoded(encoded(buckets));
      expect(read.map(({ minute, count }) => [minute, count])).to.deep.equal([
        [NOON, 1],
        [NOON + 3, 2 ** 40],
      ]);
      for (const [i, { mean, min, max }] of read.entries()) {
        const wanted = buckets[i]!;
        expect(Math.abs(mean / size - wanted.mean / size)).to.be.below(6e-5, String(size));
        expect(Math.abs(min / size - wanted.min / size)).to.be.below(6e-5, String(size));
        expect(Math.abs(max / size - wanted.max / size)).to.be.below(6e-5, String(size));
      }
    }
  });

  it('stay the same if they are written again', () => {
    const once = encoded([
      bucket({ mean: 1 / 3, min: -70.123456, max: 12 }),
      bucket({ minute: NOON + 1, max: 0.5 }),
    ]);
    expect(encoded(decoded(once))).to.deep.equal(once);
  });

  it('may be none', () => {
    expect(decoded(undefined)).to.deep.equal([]);
    expect(decoded(encoded([]))).to.deep.equal([]);
  });
});
