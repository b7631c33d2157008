import { inMetricOrder, type Metric } from './metrics.js';

/** The operands of comparisons (policy §9). */
export const OPERANDS = ['greater', 'less', 'greater equal', 'less equal'] as const;
export type Operand = (typeof OPERANDS)[number];

/** How a window becomes the number that a comparison compares. The first is that of a comparison without `aggregate`. */
export const AGGREGATES = ['mean', 'min', 'max', 'last', 'sum'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** A comparison of one metric: `cpu > 85` is `{ value: 85, operand: 'greater' }`. */
export interface Comparison {
  readonly value: number;
  readonly operand: Operand;
  /** A comparison that held goes on to hold until the aggregate no longer satisfies the operand against this number. */
  readonly clear?: number;
  /** Absent: mean. */
  readonly aggregate?: Aggregate;
}

/** Comparisons by metric, at least one. All must hold (policy §2, Condition). */
export type Comparisons = Readonly<Partial<Record<Metric, Comparison>>>;

/** Comparisons, or a group of conditions. */
export type Condition =
  | Comparisons
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] }
  | { readonly not: Condition };

const SATISFIES: Readonly<Record<Operand, (measured: number, value: number) => boolean>> = {
  greater: (measured, value) => measured > value,
  less: (measured, value) => measured < value,
  'greater equal': (measured, value) => measured >= value,
  'less equal': (measured, value) => measured <= value,
};

/** True if a number satisfies an operand against a value. */
export function satisfies(measured: number, operand: Operand, value: number): boolean {
  return SATISFIES[operand](measured, value);
}

/** A condition by its form. `comparisons` are in the order in which metrics are shown. */
export type ConditionForm =
  | { readonly is: 'comparisons'; readonly comparisons: readonly (readonly [Metric, Comparison])[] }
  | { readonly is: 'any' | 'all'; readonly members: readonly Condition[] }
  | { readonly is: 'not'; readonly member: Condition };

/** Returns the form of a valid condition. */
export function formOf(condition: Condition): ConditionForm {
  if ('any' in condition && Array.isArray(condition.any)) return { is: 'any', members: condition.any };
  if ('all' in condition && Array.isArray(condition.all)) return { is: 'all', members: condition.all };
  if ('not' in condition) return { is: 'not', member: condition.not as Condition };
  const comparisons = Object.entries(condition as Comparisons)
    .filter((entry): entry is [Metric, Comparison] => entry[1] !== undefined)
    .toSorted(([a], [b]) => inMetricOrder(a, b));
  return { is: 'comparisons', comparisons };
}

/** Signs of the operands. */
type Signs = Readonly<Record<Operand, string>>;

const SIGNS: Signs = {
  greater: '>',
  less: '<',
  'greater equal': '>=',
  'less equal': '<=',
};

/** Returns the condition as text for people: `cpu > 85 and mem > 70`, `max of cpu > 85 (clears at 70) or not (net < 5)`. */
export function conditionText(condition: Condition, signs: Signs = SIGNS): string {
  return partOf(condition, signs).text;
}

/** `several`: the text joins several parts. */
function partOf(condition: Condition, signs: Signs): { readonly text: string; readonly several: boolean } {
  const form = formOf(condition);
  if (form.is === 'not') return { text: `not (${partOf(form.member, signs).text})`, several: false };
  if (form.is === 'comparisons') {
    const texts = form.comparisons.map((one) => comparisonText(one, signs));
    return { text: texts.join(' and '), several: texts.length > 1 };
  }
  const parts = form.members.map((member) => partOf(member, signs));
  if (parts.length === 1) return parts[0]!;
  const texts = parts.map(({ text, several }) => (several ? `(${text})` : text));
  return { text: texts.join(form.is === 'any' ? ' or ' : ' and '), several: true };
}

function comparisonText(
  [metric, { operand, value, clear, aggregate }]: readonly [Metric, Comparison],
  signs: Signs,
): string {
  const what = aggregate === undefined || aggregate === 'mean' ? metric : `${aggregate} of ${metric}`;
  const end = clear === undefined ? '' : ` (clears at ${clear})`;
  return `${what} ${signs[operand]} ${value}${end}`;
}
