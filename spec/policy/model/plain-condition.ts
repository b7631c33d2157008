import type { PlainComparison, PlainCondition } from './story.js';

/** A comparison with its metric and its place in the condition, such as `any.0.cpu`. */
interface Placed {
  readonly place: string;
  readonly metric: string;
  readonly comparison: PlainComparison;
}

/** Returns the comparisons of a condition in the order written. */
export function comparisonsOf(condition: PlainCondition, above = ''): Placed[] {
  if (isAny(condition)) return condition.any.flatMap((one, i) => comparisonsOf(one, `${above}any.${i}.`));
  if (isAll(condition)) return condition.all.flatMap((one, i) => comparisonsOf(one, `${above}all.${i}.`));
  if (isNot(condition)) return comparisonsOf(condition.not, `${above}not.`);
  return Object.entries(condition as Record<string, PlainComparison>).map(([metric, comparison]) => ({
    place: above + metric,
    metric,
    comparison,
  }));
}

/** Returns whether a condition has the form of the interface document: no any, all or not, no clear, no aggregate. */
export function isDocumented(condition: PlainCondition): boolean {
  return comparisonsOf(condition).every(({ place, metric, comparison }) => {
    return place === metric && comparison.clear === undefined && comparison.aggregate === undefined;
  });
}

/** Returns the metrics that a condition names, each once. */
export function metricsOf(condition: PlainCondition): string[] {
  return [...new Set(comparisonsOf(condition).map(({ metric }) => metric))];
}

/** Returns the aggregate of a full window that a comparison names. */
export function aggregateOf(comparison: PlainComparison, values: readonly number[]): number {
  const sum = values.reduce((before, value) => before + value, 0);
  const aggregates = {
    mean: values.every((value) => value === values[0]) ? values[0]! : sum / values.length,
    min: Math.min(...values),
    max: Math.max(...values),
    last: values.at(-1)!,
    sum,
  };
  return aggregates[comparison.aggregate ?? 'mean'];
}

/**
 * Returns the places of the comparisons that hold. `held`: those that held at the evaluation before, for which `clear`
 * takes the place of `value`.
 */
export function holdingPlaces(
  condition: PlainCondition,
  windows: ReadonlyMap<string, readonly number[]>,
  held: ReadonlySet<string>,
): Set<string> {
  const holding = comparisonsOf(condition).filter(({ place, metric, comparison }) => {
    const limit = held.has(place) ? (comparison.clear ?? comparison.value) : comparison.value;
    return satisfies(aggregateOf(comparison, windows.get(metric)!), comparison.operand, limit);
  });
  return new Set(holding.map(({ place }) => place));
}

/** Returns whether a condition holds, by the places of its comparisons that do. */
export function conditionHolds(condition: PlainCondition, holding: ReadonlySet<string>, above = ''): boolean {
  if (isAny(condition))
    return condition.any.some((one, i) => conditionHolds(one, holding, `${above}any.${i}.`));
  if (isAll(condition))
    return condition.all.every((one, i) => conditionHolds(one, holding, `${above}all.${i}.`));
  if (isNot(condition)) return !conditionHolds(condition.not, holding, `${above}not.`);
  return Object.keys(condition).every((metric) => holding.has(above + metric));
}

/** Returns what was compared, by metric: of several aggregates of one metric the first as written. */
export function measuresOf(
  condition: PlainCondition,
  windows: ReadonlyMap<string, readonly number[]>,
): Record<string, number> {
  const measures: Record<string, number> = {};
  for (const { metric, comparison } of comparisonsOf(condition)) {
    measures[metric] ??= aggregateOf(comparison, windows.get(metric)!);
  }
  return measures;
}

function satisfies(aggregate: number, operand: PlainComparison['operand'], limit: number): boolean {
  if (operand === 'greater') return aggregate > limit;
  if (operand === 'less') return aggregate < limit;
  if (operand === 'greater equal') return aggregate >= limit;
  return aggregate <= limit;
}

function isAny(condition: PlainCondition): condition is { any: readonly PlainCondition[] } {
  return 'any' in condition;
}

function isAll(condition: PlainCondition): condition is { all: readonly PlainCondition[] } {
  return 'all' in condition;
}

function isNot(condition: PlainCondition): condition is { not: PlainCondition } {
  return 'not' in condition;
}
