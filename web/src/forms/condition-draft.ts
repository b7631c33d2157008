import { AGGREGATES } from '../../../src/policy/rules/condition.js';
import { isOfDocument } from '../../../src/policy/rules/metrics.js';
import type { ComparisonView } from '../../../src/policy/rules/shapes.js';
import { isObject, jsonOf } from '../../../src/untrusted/json.js';
import { typedNumber } from '../ui/field.js';
import { jsonText } from './condition-json.js';

export { AGGREGATES } from '../../../src/policy/rules/condition.js';
export { METRICS } from '../../../src/policy/rules/metrics.js';

/** The operands of the policy API, each with its words. */
export const OPERANDS = [
  ['greater', 'greater than'],
  ['greater equal', 'at least'],
  ['less', 'less than'],
  ['less equal', 'at most'],
] as const;

/** One comparison as it is typed. */
export interface ComparisonDraft {
  readonly metric: string;
  /** True if the name of the metric is typed, not chosen. */
  readonly typed?: boolean;
  readonly operand: string;
  readonly value: string;
  /** Absent or empty: the comparison does not have it. */
  readonly aggregate?: string;
  /** Absent or blank: the comparison does not have it. */
  readonly clear?: string;
}

/** A condition as it is typed: comparisons that must all hold, or any condition as JSON. */
export interface ConditionDraft {
  readonly comparisons: readonly ComparisonDraft[];
  /** The condition as JSON; undefined: the comparisons are the condition. */
  readonly json: string | undefined;
}

/** Returns the draft of a condition: a row for each comparison, or JSON if rows cannot show all that it says. */
export function conditionDraftOf(condition: unknown): ConditionDraft {
  return isPlain(condition)
    ? { comparisons: rowsOf(condition), json: undefined }
    : { comparisons: [], json: jsonText(condition) };
}

/** Returns the condition that a draft says, unchecked: the service checks it. JSON that cannot be read stays text. */
export function conditionIn({ comparisons, json }: ConditionDraft): unknown {
  if (json !== undefined) return jsonOf(json) ?? json;
  const each = comparisons.map((row) => [row.metric.trim(), comparisonIn(row)] as const);
  const isUnique = new Set(each.map(([metric]) => metric)).size === each.length;
  // An object has one comparison of a metric.
  return isUnique ? Object.fromEntries(each) : { all: each.map((one) => Object.fromEntries([one])) };
}

/** Returns the draft as JSON. */
export function asJson(draft: ConditionDraft): ConditionDraft {
  return { comparisons: [], json: jsonText(conditionIn(draft)) };
}

/** Returns the draft with a row for each comparison; undefined if rows cannot show all that its JSON says. */
export function asRows(draft: ConditionDraft): ConditionDraft | undefined {
  const condition = conditionIn(draft);
  return isPlain(condition) ? { comparisons: rowsOf(condition), json: undefined } : undefined;
}

function rowsOf(condition: Readonly<Record<string, ComparisonView>>): readonly ComparisonDraft[] {
  return Object.entries(condition).map(([metric, { operand, value, clear, aggregate }]) => ({
    metric,
    typed: !isOfDocument(metric),
    operand,
    value: String(value),
    aggregate: aggregate ?? '',
    clear: clear === undefined ? '' : String(clear),
  }));
}

function comparisonIn({ value, operand, clear = '', aggregate = '' }: ComparisonDraft) {
  return {
    value: typedNumber(value),
    operand,
    ...(clear.trim() !== '' && { clear: typedNumber(clear) }),
    ...(aggregate !== '' && { aggregate }),
  };
}

/** True for a condition that rows can show: comparisons alone, with no other members than rows have. */
function isPlain(condition: unknown): condition is Readonly<Record<string, ComparisonView>> {
  if (!isObject(condition) || 'any' in condition || 'all' in condition || 'not' in condition) return false;
  const all = Object.values(condition);
  return all.length > 0 && all.every(isComparison);
}

function isComparison(given: unknown): given is ComparisonView {
  if (!isObject(given)) return false;
  const { value, operand, clear, aggregate, ...rest } = given;
  return (
    Object.keys(rest).length === 0 &&
    Number.isFinite(value) &&
    OPERANDS.some(([one]) => one === operand) &&
    (clear === undefined || Number.isFinite(clear)) &&
    (aggregate === undefined || AGGREGATES.some((one) => one === aggregate))
  );
}
