import { isObject } from '../../../../src/untrusted/json.js';

/** A metric that a condition names, with the numbers that its values are compared with. Sums are on another scale. */
export interface ComparedMetric {
  readonly metric: string;
  /** The values of its comparisons, without those of sums. */
  readonly thresholds: readonly number[];
  /** The numbers at which these comparisons clear. */
  readonly clearThresholds: readonly number[];
}

/** Returns the metrics of a condition as it is typed, each once. What is unfinished is left out. */
export function comparedMetrics(condition: unknown): readonly ComparedMetric[] {
  const found = new Map<string, { thresholds: Set<number>; clearThresholds: Set<number> }>();
  for (const [metric, comparison] of comparisonsIn(condition)) {
    if (metric === '') continue;
    const known = found.get(metric) ?? { thresholds: new Set(), clearThresholds: new Set() };
    found.set(metric, known);
    if (!isObject(comparison) || comparison['aggregate'] === 'sum') continue;
    const { value, clear } = comparison;
    if (typeof value === 'number') known.thresholds.add(value);
    if (typeof clear === 'number') known.clearThresholds.add(clear);
  }
  return [...found].map(([metric, { thresholds, clearThresholds }]) => ({
    metric,
    thresholds: [...thresholds],
    clearThresholds: [...clearThresholds],
  }));
}

function comparisonsIn(condition: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(condition)) return condition.flatMap(comparisonsIn);
  if (!isObject(condition)) return [];
  const { any, all, not } = condition;
  const group = any ?? all ?? not;
  return group === undefined ? Object.entries(condition) : comparisonsIn(group);
}
