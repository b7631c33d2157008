import type { Aggregate } from '../rules/condition.js';
import { ExactSum } from './exact-sum.js';

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
