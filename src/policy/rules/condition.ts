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
  for (const metric of METRICS) {
    const statement = condition[metric];
    if (statement === undefined) continue;
    const measured = measures[metric];
    if (measured === undefined || !HOLDS[statement.operand](measured, statement.value)) return false;
  }
  return true;
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
