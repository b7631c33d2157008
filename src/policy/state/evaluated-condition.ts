import type { CompiledComparison, CompiledCondition, ComparisonMask } from '../rules/compiled.js';
import type { Aggregate, Operand } from '../rules/condition.js';
import type { Metric } from '../rules/metrics.js';

/** A comparison of a condition with its result. */
export interface ShownComparison {
  readonly metric: Metric;
  readonly aggregate: Aggregate;
  /** The aggregate of the window; null before the first evaluation. */
  readonly result: number | null;
  readonly operand: Operand;
  readonly value: number;
  /** Absent unless the comparison has it. */
  readonly clear?: number;
  /** null before the first evaluation. */
  readonly holds: boolean | null;
}

/** A comparison that was evaluated. */
export interface Compared extends ShownComparison {
  readonly result: number;
  readonly holds: boolean;
}

/** A condition that was evaluated. */
export interface EvaluatedCondition {
  readonly condition: CompiledCondition;
  readonly mask: ComparisonMask;
  /** In the order in which they are written. */
  readonly comparisons: readonly Compared[];
}

/** Returns an evaluation of a condition. `mask`: the comparisons that hold. */
export function evaluatedCondition(
  condition: CompiledCondition,
  resultOf: (comparison: CompiledComparison) => number,
  mask: ComparisonMask,
): EvaluatedCondition {
  const comparisons = condition.comparisons.map((comparison) => ({
    ...withResult(comparison, resultOf(comparison)),
    holds: (mask & (1 << comparison.index)) !== 0,
  }));
  return { condition, mask, comparisons };
}

/** Returns the comparisons of a condition that was not evaluated. */
export function unevaluated({ comparisons }: CompiledCondition): readonly ShownComparison[] {
  return comparisons.map((comparison) => ({ ...withResult(comparison, null), holds: null }));
}

function withResult<R>({ metric, aggregate, operand, value, clear }: CompiledComparison, result: R) {
  const shown = { metric, aggregate, result, operand, value };
  return clear === undefined ? shown : { ...shown, clear };
}
