import {
  type Comparison,
  type Condition,
  conditionText as textOf,
  formOf,
} from '../../../../src/policy/rules/condition.js';
import type { ConditionView } from '../../../../src/policy/rules/shapes.js';

/** The operands as signs. */
export const SIGNS = { greater: '>', less: '<', 'greater equal': '≥', 'less equal': '≤' } as const;

/** Returns a condition of an answer as the service knows it: it has checked the operands and aggregates. */
export function checkedCondition(condition: ConditionView): Condition {
  return condition as Condition;
}

/** Returns a condition as text, with the words of mails: `cpu > 85 and mem ≥ 70`. */
export function conditionText(condition: ConditionView): string {
  return textOf(checkedCondition(condition), SIGNS);
}

/** Returns the comparisons of a condition, also those inside groups. */
export function comparisonsOf(condition: ConditionView): readonly (readonly [string, Comparison])[] {
  return comparisonsIn(checkedCondition(condition));
}

function comparisonsIn(condition: Condition): readonly (readonly [string, Comparison])[] {
  const form = formOf(condition);
  if (form.is === 'comparisons') return form.comparisons;
  return form.is === 'not' ? comparisonsIn(form.member) : form.members.flatMap(comparisonsIn);
}
