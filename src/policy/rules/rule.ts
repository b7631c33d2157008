import { Refusal } from '../../errors.js';
import type { Condition } from './condition.js';

/** Action to take when the condition holds (policy §2, Action). */
export type Action = EmailAction | ScaleAction;

export interface EmailAction {
  readonly actionName: 'notify-email';
  readonly email: string;
  readonly body: string;
}

export interface ScaleAction {
  /** `notify-scale` or any other name except `notify-email`. All of them behave the same. */
  readonly actionName: string;
  readonly operation: 'scaleUp' | 'scaleDown';
}

/** A rule as a client creates it. */
export interface RuleDraft {
  readonly name: string;
  readonly condition: Condition;
  readonly action: Action;
}

/** Members of a rule that a client replaces, at least one. */
export type RuleChange = Partial<RuleDraft>;

/** A rule as stored and shown. */
export interface Rule extends RuleDraft {
  readonly ruleId: string;
}

/** Maximum number of rules of one server, and of one tenant. */
export const RULES_LIMIT = 1_000;

/** True for the action that also sends an e-mail. */
export function isEmail(action: Action): action is EmailAction {
  return action.actionName === 'notify-email';
}

/** Returns the first rule with this id in the lists; undefined if no list has one. */
export function findRule(ruleId: string, ...lists: readonly (readonly Rule[])[]): Rule | undefined {
  for (const rules of lists) {
    const rule = rules.find((candidate) => candidate.ruleId === ruleId);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** Returns the refusal for a rule id that does not exist. */
export function unknownRule(ruleId: string): Refusal {
  return new Refusal('not-found', `ruleId: no rule ${ruleId} here`);
}

/** Appends rules. Throws `Refusal('too-large')` beyond `RULES_LIMIT`. */
export function withRules(rules: readonly Rule[], added: readonly Rule[]): readonly Rule[] {
  if (rules.length + added.length > RULES_LIMIT) {
    throw new Refusal('too-large', `there can be at most ${RULES_LIMIT} rules here; remove some first`);
  }
  return [...rules, ...added];
}

/**
 * Replaces the given members of one rule, each as a whole (policy §4, rule 5). Returns the new list and the changed
 * rule. Throws `Refusal('not-found')` for an unknown rule.
 */
export function withChange(
  rules: readonly Rule[],
  ruleId: string,
  change: RuleChange,
): { readonly rules: readonly Rule[]; readonly changed: RuleDraft } {
  const old = rules.find((rule) => rule.ruleId === ruleId);
  if (old === undefined) throw unknownRule(ruleId);
  const rule: Rule = { ...old, ...change };
  return {
    rules: rules.map((candidate) => (candidate === old ? rule : candidate)),
    changed: { name: rule.name, condition: rule.condition, action: rule.action },
  };
}

/** Removes one rule. Throws `Refusal('not-found')` for an unknown rule. */
export function withoutRule(rules: readonly Rule[], ruleId: string): readonly Rule[] {
  if (!rules.some((rule) => rule.ruleId === ruleId)) throw unknownRule(ruleId);
  return rules.filter((rule) => rule.ruleId !== ruleId);
}
