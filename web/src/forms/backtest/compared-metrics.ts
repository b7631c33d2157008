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
  const all = comparisonsIn(condition).filter(([metric]) => metric !== '');
  return [...new Set(all.map(([metric]) => metric))].map((metric) => {
    const comparisons = all
      .flatMap(([named, one]) => (named === metric && isObject(one) ? [one] : []))
      .filter(({ aggregate }) => aggregate !== 'sum');
    const numbersIn = (member: string): readonly number[] => [
      ...new Set(comparisons.map((one) => one[member]).filter((value) => typeof value === 'number')),
    ];
    return { metric, thresholds: numbersIn('value'), clearThresholds: numbersIn('clear') };
  });
}

function comparisonsIn(condition: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(condition)) return condition.flatMap(comparisonsIn);
  if (!isObject(condition)) return [];
  const { any, all, not } = condition;
  const group = any ?? all ?? not;
  return group === undefined ? Object.entries(condition) : comparisonsIn(group);
}
