/** The metrics a condition may name (policy §2, Condition), in the order in which they are shown. */
export const METRICS = ['cpu', 'mem', 'hdd', 'net'] as const;
export type Metric = (typeof METRICS)[number];

/** The comparisons a condition may use (policy §9). */
export const OPERANDS = ['greater', 'less', 'greater equal', 'less equal'] as const;
export type Operand = (typeof OPERANDS)[number];

/** One value per metric, percent of utilization 0..100. A missing metric was not measured. */
export type Measures = Readonly<Partial<Record<Metric, number>>>;

/** One statement of a condition: `cpu > 85` is `{ value: 85, operand: 'greater' }`. `value` is a percentage 0..100. */
export interface Statement {
  readonly value: number;
  readonly operand: Operand;
}

/** At least one statement; several are joined with AND (policy §2, Condition). */
export type Condition = Readonly<Partial<Record<Metric, Statement>>>;

const HOLDS: Readonly<Record<Operand, (measured: number, value: number) => boolean>> = {
  greater: (measured, value) => measured > value,
  less: (measured, value) => measured < value,
  'greater equal': (measured, value) => measured >= value,
  'less equal': (measured, value) => measured <= value,
};

/** True if the statement holds for a measured value. */
export function satisfies(measured: number, { operand, value }: Statement): boolean {
  return HOLDS[operand](measured, value);
}

/** Returns the metrics that a condition names, in the order of `METRICS`. */
export function metricsOf(condition: Condition): Metric[] {
  return METRICS.filter((metric) => condition[metric] !== undefined);
}

/** True if every statement of the condition holds. A statement about a metric that was not measured does not hold. */
export function holds(condition: Condition, measures: Measures): boolean {
  for (const metric of METRICS) {
    const statement = condition[metric];
    if (statement === undefined) continue;
    const measured = measures[metric];
    if (measured === undefined || !satisfies(measured, statement)) return false;
  }
  return true;
}

const SIGNS: Readonly<Record<Operand, string>> = {
  greater: '>',
  less: '<',
  'greater equal': '>=',
  'less equal': '<=',
};

/** Returns the condition as text for people: `cpu > 85 and mem > 70`. */
export function conditionText(condition: Condition): string {
  return metricsOf(condition)
    .map((metric) => `${metric} ${SIGNS[condition[metric]!.operand]} ${condition[metric]!.value}`)
    .join(' and ');
}
