import type { Aggregate } from '../rules/condition.js';

/** Returns an aggregate of values, of which there is at least one. The result is finite. */
export function aggregated(aggregate: Aggregate, values: readonly number[]): number {
  switch (aggregate) {
    case 'mean':
      return mean(values);
    case 'last':
      return values.at(-1)!;
    case 'sum':
      return sumOf(exactSum(values));
    case 'min':
      return values.reduce((least, value) => Math.min(least, value));
    case 'max':
      return values.reduce((most, value) => Math.max(most, value));
  }
}

/**
 * Returns the unrounded mean: the exact sum, rounded once, divided by the number of values. It stays between the smallest and the
 * largest value. Equal values therefore have exactly that value as their mean: `greater 85.1` does not hold for values of
 * 85.1.
 */
export function mean(values: readonly number[]): number {
  let least = Infinity;
  let most = -Infinity;
  // By index: an iterator allocates an object per value.
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return meanOf(exactSum(values), values.length, least, most);
}

/** Returns the mean of `count` values by their sum, their smallest and their largest. */
export function meanOf(sum: ExactSum, count: number, least: number, most: number): number {
  const total = sum.nearest();
  const quotient = Number.isFinite(total)
    ? total / count
    : (sum.nearestDividedBy2ToThe(REDUCTION) / count) * 2 ** REDUCTION;
  return Math.min(most, Math.max(least, quotient));
}

/** Returns a sum, at most the largest number. */
export function sumOf(sum: ExactSum): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, sum.nearest()));
}

/** No window has 2 ** `REDUCTION` values. */
const REDUCTION = 32;

function exactSum(values: readonly number[]): ExactSum {
  const sum = new ExactSum();
  for (let i = 0; i < values.length; i += 1) sum.add(values[i]!);
  return sum;
}

/**
 * The exact sum of numbers, which may be taken away again, in any order. It is rounded once, when it is read: a sum that
 * slides over values equals that of the values alone, to the last bit.
 */
export class ExactSum {
  /** The sum is exactly `#high + #low`, unless there are parts. */
  #high = 0;
  #low = 0;
  #parts: Parts | undefined;

  add(value: number): void {
    if (this.#parts !== undefined) return addTo(this.#parts, value);
    const high = this.#high + value;
    const error = roundingError(this.#high, value, high);
    const low = this.#low + error;
    if (roundingError(this.#low, error, low) === 0) {
      this.#high = high;
      this.#low = low;
      return;
    }
    // Two numbers cannot hold the sum, or a part of it is outside the range of numbers.
    this.#inParts();
    this.add(value);
  }

  subtract(value: number): void {
    this.add(-value);
  }

  /** Returns the number that is nearest to the sum, an infinity outside their range. */
  nearest(): number {
    return this.#parts === undefined ? this.#high + this.#low : nearestTo(this.#parts, 0);
  }

  /** Returns the number that is nearest to the sum divided by a power of two. */
  nearestDividedBy2ToThe(exponent: number): number {
    this.#inParts();
    return nearestTo(this.#parts!, -exponent);
  }

  #inParts(): void {
    if (this.#parts !== undefined) return;
    this.#parts = new Float64Array(PARTS);
    addTo(this.#parts, this.#high);
    addTo(this.#parts, this.#low);
  }
}

/** Returns what rounding took from `a + b` to make it `sum` (Knuth). NaN if a part is outside the range of numbers. */
function roundingError(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

/**
 * A sum in parts of 32 bits: part i counts 2 ** (32 * i + LEAST). Parts are integers that may be negative, and have room for a
 * million additions.
 */
type Parts = Float64Array;

/** Exponent of the least number. */
const LEAST = -1074;
const PART = 2 ** 32;
/** Enough for the largest numbers, shifted by up to 31 bits, and for carries. */
const PARTS = 68;

const FLOAT = new Float64Array(1);
const [LOWER, UPPER] = new Uint8Array(new Float64Array([1]).buffer)[7] === 0x3f ? [0, 1] : [1, 0];
const WORDS = new Uint32Array(FLOAT.buffer);

function addTo(parts: Parts, value: number): void {
  FLOAT[0] = value;
  const upper = WORDS[UPPER]!;
  const lower = WORDS[LOWER]!;
  const biased = (upper >>> 20) & 0x7ff;
  // value = ± mantissa * 2 ** (exponent + LEAST)
  const exponent = biased === 0 ? 0 : biased - 1;
  const mantissa = (upper & 0xfffff) | (biased === 0 ? 0 : 0x100000);
  const sign = upper >>> 31 === 0 ? 1 : -1;
  const index = exponent >>> 5;
  const shift = exponent & 31;
  const beyond = (word: number): number => (shift === 0 ? 0 : word >>> (32 - shift));
  parts[index]! += sign * ((lower << shift) >>> 0);
  parts[index + 1]! += sign * (((mantissa << shift) >>> 0) + beyond(lower));
  parts[index + 2]! += sign * beyond(mantissa);
}

/** Returns the number that is nearest to a sum times 2 ** `exponent`. */
function nearestTo(sum: Parts, exponent: number): number {
  const parts = Float64Array.from(sum);
  carry(parts);
  const isNegative = parts[PARTS - 1]! < 0;
  if (isNegative) {
    for (let i = 0; i < PARTS; i += 1) parts[i] = -parts[i]!;
    carry(parts);
  }
  let top = PARTS - 1;
  while (top > 0 && parts[top] === 0) top -= 1;
  const from = Math.max(0, top - 2);
  let digits = 0n;
  for (let i = top; i >= from; i -= 1) digits = (digits << 32n) + BigInt(parts[i]!);
  // At least 65 bits stand above the rest, which matters for halves alone.
  if (parts.subarray(0, from).some((part) => part !== 0)) digits |= 1n;
  const nearest = Number(digits) * 2 ** (32 * from + LEAST + exponent);
  return isNegative ? -nearest : nearest;
}

/** Makes all parts but the last digits: from 0 to below `PART`. */
function carry(parts: Parts): void {
  for (let i = 0; i < PARTS - 1; i += 1) {
    const carried = Math.floor(parts[i]! / PART);
    parts[i]! -= carried * PART;
    parts[i + 1]! += carried;
  }
}
