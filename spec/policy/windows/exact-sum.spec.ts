import { expect } from 'chai';
import fc from 'fast-check';
import { ExactSum } from '../../../src/policy/windows/aggregate.js';

/** Returns a number as a multiple of the least one. */
function exactly(value: number): bigint {
  const bits = new DataView(new Float64Array([value]).buffer).getBigUint64(0, true);
  const exponent = (bits >> 52n) & 0x7ffn;
  const digits = (bits & 0xfffffffffffffn) | (exponent === 0n ? 0n : 1n << 52n);
  const size = digits << (exponent === 0n ? 0n : exponent - 1n);
  return bits >> 63n === 0n ? size : -size;
}

/** Returns the next number, up or down. */
function neighbour(value: number, up: boolean): number {
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new Float64Array([value]).buffer);
  view.setBigUint64(0, view.getBigUint64(0, true) + (value > 0 === up ? 1n : -1n), true);
  return view.getFloat64(0, true);
}

/** Expects that no number is nearer to a sum, and that a half is rounded to an even number. */
function expectNearest(found: number, sum: bigint): void {
  const largest = exactly(Number.MAX_VALUE);
  const half = exactly(2 ** 970);
  if (!Number.isFinite(found)) {
    expect(found > 0 ? sum >= largest + half : sum <= -largest - half).to.equal(true);
    return;
  }
  const distance = (other: number): bigint => {
    const difference = sum - exactly(other);
    return difference < 0n ? -difference : difference;
  };
  for (const up of [true, false]) {
    const other = neighbour(found, up);
    if (!Number.isFinite(other)) continue;
    expect(distance(found) <= distance(other), `${found} for ${sum}`).to.equal(true);
    const isTie = distance(found) === distance(other) && distance(found) > 0n;
    if (isTie) expect((exactly(found) % (exactly(other) - exactly(found))) % 2n).to.equal(0n);
  }
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);
/** Numbers that are hard to add: they are far from each other, or take each other away. */
const hard = fc.constantFrom(
  1,
  -1,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  1e308,
  -1e308,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  2 ** -1022,
  1e16,
  -1e16,
  2 ** 53,
  2 ** -53,
  2 ** 970,
  2 ** 900 + 2 ** 850,
  0.1,
  -0.3,
);

describe('an exact sum', () => {
  for (const [what, numbers] of [
    ['any numbers', finite],
    ['percentages', percent],
    ['numbers that are hard to add', hard],
    ['a mixture', fc.oneof(finite, percent, hard)],
  ] as const) {
    it(`of ${what} is the nearest number, whatever was added and taken away`, () => {
      const run = (added: readonly number[], taken: readonly number[]): void => {
        const sum = new ExactSum();
        let exact = 0n;
        for (const value of added) {
          sum.add(value);
          exact += exactly(value);
          expectNearest(sum.nearest(), exact);
        }
        for (const value of taken) {
          sum.subtract(value);
          exact -= exactly(value);
          expectNearest(sum.nearest(), exact);
        }
        for (const value of added) sum.subtract(value);
        for (const value of taken) sum.add(value);
        expect(sum.nearest()).to.equal(0);
      };
      fc.assert(fc.property(fc.array(numbers, { maxLength: 40 }), fc.array(numbers, { maxLength: 10 }), run));
    });
  }

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(finite, hard), { maxLength: 30 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const [sum, other] = [new ExactSum(), new ExactSum()];
          for (const value of all) sum.add(value);
          for (const value of shuffled) other.add(value);
          expect(other.nearest()).to.equal(sum.nearest());
        },
      ),
    );
  });

  it('can be divided by a power of two where it is beyond the range of numbers', () => {
    const sum = new ExactSum();
    for (let i = 0; i < 3; i += 1) sum.add(Number.MAX_VALUE);
    expect(sum.nearest()).to.equal(Infinity);
    expect(sum.nearestDividedBy2ToThe(2)).to.equal((Number.MAX_VALUE / 4) * 3);
    sum.subtract(Number.MAX_VALUE);
    sum.subtract(Number.MAX_VALUE);
    expect(sum.nearest()).to.equal(Number.MAX_VALUE);
  });

  it('rounds what is just above a half up, however far below the difference is', () => {
    const sum = new ExactSum();
    for (const value of [2 ** 53, 1, Number.MIN_VALUE]) sum.add(value);
    expect(sum.nearest()).to.equal(2 ** 53 + 2);
    sum.subtract(Number.MIN_VALUE);
    expect(sum.nearest()).to.equal(2 ** 53);
    sum.subtract(Number.MIN_VALUE);
    sum.add(2);
    expect(sum.nearest()).to.equal(2 ** 53 + 2);
  });
});
