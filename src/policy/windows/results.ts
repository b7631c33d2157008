import type { CompiledComparison, CompiledCondition } from '../rules/compiled.js';
import type { Aggregate } from '../rules/condition.js';
import { type DocumentMetric, isOfDocument, type Metric } from '../rules/metrics.js';
import { aggregated } from './aggregate.js';
import { SlidingValues } from './sliding-values.js';
import { type Values, windowOf, type Windows } from './window.js';

/** Returns the number that a comparison compares. Its window is not empty. */
export function resultIn(windows: Windows<Values>, { metric, aggregate }: CompiledComparison): number {
  const { values } = windowOf(windows, metric);
  return values instanceof SlidingValues ? values.aggregate(aggregate) : aggregated(aggregate, values);
}

/** The results of one measurement. Many rules share a few windows: each mean, minimum, maximum and sum is computed once. */
export class Results {
  readonly #means: Partial<Record<DocumentMetric, number>> = {};
  readonly #byAggregate: Partial<Record<Aggregate, Map<Metric, number>>> = {};

  constructor(private readonly windows: Windows<Values>) {}

  /** Returns the number that a comparison compares. Its window is not empty. */
  readonly of = (comparison: CompiledComparison): number => {
    const { metric, aggregate } = comparison;
    if (aggregate === 'mean' && isOfDocument(metric)) {
      return (this.#means[metric] ??= resultIn(this.windows, comparison));
    }
    const known = (this.#byAggregate[aggregate] ??= new Map<Metric, number>());
    let found = known.get(metric);
    if (found === undefined) known.set(metric, (found = resultIn(this.windows, comparison)));
    return found;
  };
}

/** The windows with the size in force. */
export interface Present {
  readonly windows: Windows<Values>;
  /** Number of values of a full window. */
  readonly size: number;
}

/** True if the windows of every metric of a condition are full. */
export function isReady({ metrics }: CompiledCondition, { windows, size }: Present): boolean {
  for (const metric of metrics) if (windowOf(windows, metric).values.length < size) return false;
  return true;
}

/** Returns the sentence for a condition that was not evaluated with these windows. */
export function fillingSentence({ metrics }: CompiledCondition, { windows, size }: Present): string {
  for (const metric of metrics) {
    const { values, emptied } = windowOf(windows, metric);
    if (values.length >= size) continue;
    const why = emptied === undefined ? '' : `, emptied by a pause of ${Math.round(emptied.pause / 1000)} s`;
    return `Not evaluated: the window of ${metric} holds ${values.length} of ${size} values${why}.`;
  }
  return `Not evaluated: the windows are full, and the next measurement of ${metrics.join(' or ')} decides.`;
}
