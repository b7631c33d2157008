import { metricsOf, satisfies } from '../rules/condition.js';
import type { Condition, Measures, Metric, Operand } from '../rules/condition.js';

/** How a window becomes one number. */
export type Aggregate = 'mean';

/** A comparison of a condition with its result. */
export interface Comparison {
  readonly metric: Metric;
  readonly aggregate: Aggregate;
  /** The aggregate of the window; null before the first evaluation. */
  readonly result: number | null;
  readonly operand: Operand;
  readonly value: number;
  /** null before the first evaluation. */
  readonly holds: boolean | null;
}

/** A comparison that was evaluated. */
export interface Compared extends Comparison {
  readonly result: number;
  readonly holds: boolean;
}

/** Returns the comparisons of a condition with the means of its windows, in the order of `METRICS`. */
export function comparedIn(condition: Condition, means: Measures): readonly Compared[] {
  return metricsOf(condition).map((metric) => {
    const { operand, value } = condition[metric]!;
    const result = means[metric]!;
    return {
      metric,
      aggregate: 'mean',
      result,
      operand,
      value,
      holds: satisfies(result, condition[metric]!),
    };
  });
}

/** Returns the comparisons of a condition that was not evaluated. */
export function uncomparedIn(condition: Condition): readonly Comparison[] {
  return metricsOf(condition).map((metric) => {
    const { operand, value } = condition[metric]!;
    return { metric, aggregate: 'mean', result: null, operand, value, holds: null };
  });
}
