import { Refusal } from '../../errors.js';
import { unknownRule } from '../lookup.js';
import type { Rule, RuleChange, RuleDraft } from './rule.js';

/** Most rules that one server, or one tenant, may have. */
export const RULES_LIMIT = 1_000;

/** The rules with others behind them. Refused where there would be too many. */
export function withRules(rules: readonly Rule[], added: readonly Rule[]): readonly Rule[] {
  if (rules.length + added.length > RULES_LIMIT) {
    throw new Refusal('too-large', `there can be at most ${RULES_LIMIT} rules here; remove some first`);
  }
  return [...rules, ...added];
}

/** The rules with one changed, each given member replaced whole (policy §4, rule 5), and that one as it is now. */
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

/** The rules without one. Refused where it is not there. */
export function withoutRule(rules: readonly Rule[], ruleId: string): readonly Rule[] {
  if (!rules.some((rule) => rule.ruleId === ruleId)) throw unknownRule(ruleId);
  return rules.filter((rule) => rule.ruleId !== ruleId);
}
