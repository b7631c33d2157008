import type { CompiledComparison } from '../rules/compiled.js';
import type { Aggregate } from '../rules/condition.js';
import { isOfDocument } from '../rules/metrics.js';
import type { DocumentMetric, Metric } from '../rules/metrics.js';
import { windowOf } from './window.js';
import type { Windows } from './window.js';

/** Returns an aggregate of values, of which there is at least one. The result is finite. */
export function aggregated(aggregate: Aggregate, values: readonly number[]): number {
  switch (aggregate) {
    case 'mean':
      return mean(values);
    case 'last':
      return values.at(-1)!;
    case 'sum':
      return sum(values);
    case 'min':
      return values.reduce((least, value) => Math.min(least, value));
    case 'max':
      return values.reduce((most, value) => Math.max(most, value));
  }
}

/**
 * Returns the unrounded mean. The sum is compensated and the mean stays between the smallest and the largest value. Equal
 * values therefore have exactly that value as their mean: `greater 85.1` does not hold for values of 85.1.
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
  const found = total(values);
  const quotient = Number.isFinite(found)
    ? found / values.length
    : (reducedTotal(values) / values.length) * REDUCTION;
  return Math.min(most, Math.max(least, quotient));
}

/** Returns the sum, at most the largest number. */
function sum(values: readonly number[]): number {
  const found = total(values);
  const within = Number.isFinite(found) ? found : reducedTotal(values) * REDUCTION;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, within));
}

/** A power of two, by which numbers are divided exactly. No window has so many values. */
const REDUCTION = 2 ** 32;

/** Returns the sum divided by `REDUCTION`: its parts stay within the range of numbers. */
function reducedTotal(values: readonly number[]): number {
  return total(values.map((value) => value / REDUCTION));
}

/** Returns the compensated sum (Neumaier); an infinity if a part of it is beyond the range of numbers. */
function total(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    const next = sum + value;
    if (!Number.isFinite(next)) return next;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/** Returns the number that a comparison compares. Its window is not empty. */
export function resultIn(windows: Windows, { metric, aggregate }: CompiledComparison): number {
  return aggregated(aggregate, windowOf(windows, metric).values);
}

/** The results of one measurement. Many rules share a few windows: each mean, minimum, maximum and sum is computed once. */
export class Results {
  readonly #means: Partial<Record<DocumentMetric, number>> = {};
  readonly #others: Partial<Record<Aggregate, Map<Metric, number>>> = {};

  constructor(private readonly windows: Windows) {}

  /** Returns the number that a comparison compares. Its window is not empty. */
  readonly of = (comparison: CompiledComparison): number => {
    const { metric, aggregate } = comparison;
    if (aggregate === 'mean' && isOfDocument(metric)) {
      return (this.#means[metric] ??= mean(this.windows[metric].values));
    }
    const known = (this.#others[aggregate] ??= new Map<Metric, number>());
    let found = known.get(metric);
    if (found === undefined) known.set(metric, (found = resultIn(this.windows, comparison)));
    return found;
  };
}
