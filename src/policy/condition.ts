import { METRICS } from './rule.js';
import type { Condition, Metric, Operand } from './rule.js';

const HOLDS: Readonly<Record<Operand, (measured: number, value: number) => boolean>> = {
  greater: (measured, value) => measured > value,
  less: (measured, value) => measured < value,
  'greater equal': (measured, value) => measured >= value,
  'less equal': (measured, value) => measured <= value,
};

/** The metrics that a condition names, in the order of `METRICS`. */
export function metricsOf(condition: Condition): Metric[] {
  return METRICS.filter((metric) => condition[metric] !== undefined);
}

/**
 * Whether every statement of the condition holds for the measures (percent of utilization). A metric without a
 * measure holds for nothing.
 */
export function holds(condition: Condition, measures: Readonly<Partial<Record<Metric, number>>>): boolean {
  return metricsOf(condition).every((metric) => {
    const { value, operand } = condition[metric]!;
    const measured = measures[metric];
    return measured !== undefined && HOLDS[operand](measured, value);
  });
}

const SIGNS: Readonly<Record<Operand, string>> = {
  greater: '>',
  less: '<',
  'greater equal': '>=',
  'less equal': '<=',
};

/** The condition as people write it: `cpu > 85 and mem > 70`. */
export function conditionText(condition: Condition): string {
  return metricsOf(condition)
    .map((metric) => `${metric} ${SIGNS[condition[metric]!.operand]} ${condition[metric]!.value}`)
    .join(' and ');
}
