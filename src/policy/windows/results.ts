import type { CompiledComparison } from '../rules/compiled.js';
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
