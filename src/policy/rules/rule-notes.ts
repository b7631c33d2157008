import { type Rule, ruleOptionsOf } from './rule.js';

/** Returns the path of a rule, below its tenant or its server. */
export function rulePath(ruleId: string): string {
  return `rules/${ruleId}`;
}

/** Returns a rule as the audit shows it: it has no secrets. */
export function ruleNote(rule: Rule) {
  const { name, condition, action } = rule;
  return { name, condition, action, ...ruleOptionsOf(rule) };
}
