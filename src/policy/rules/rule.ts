import { Refusal } from '../../errors.js';
import type { RuleOptionsView } from './shapes.js';
import { type Condition, formOf } from './condition.js';

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

/** The options of a rule. */
export type RuleOptions = RuleOptionsView;

/** The members of `RuleOptions` that change when and what a rule notifies. */
const MESSAGE_OPTIONS = ['for', 'repeat', 'resolve', 'noData'] as const;
/** The names of the members of `RuleOptions`, in the order in which they are shown. */
export const RULE_OPTIONS = [...MESSAGE_OPTIONS, 'labels'] as const;

/** A rule as a client creates it. */
export interface RuleDraft extends RuleOptions {
  readonly name: string;
  readonly condition: Condition;
  readonly action: Action;
}

/** Members of a rule that a client replaces, at least one. null removes a member of `RuleOptions`. */
export type RuleChange = Partial<Pick<RuleDraft, 'name' | 'condition' | 'action'>> & {
  readonly [M in keyof RuleOptions]?: RuleOptions[M] | null;
};

/** A rule as stored and shown. */
export interface Rule extends RuleDraft {
  readonly ruleId: string;
}

/** Maximum number of rules of one server, and of one tenant. */
export const RULES_LIMIT = 1_000;

/** Returns the members of `RuleOptions` that are set. */
export function ruleOptionsOf(rule: RuleOptions): RuleOptions {
  return Object.fromEntries(
    RULE_OPTIONS.flatMap((name) => (rule[name] === undefined ? [] : [[name, rule[name]]])),
  );
}

/** The values of the label `severity` that sort before any other, the most severe first. */
const SEVERITIES = ['critical', 'warning', 'info'];

/** Returns how severe a rule with some labels is, 0: the most severe; undefined without the label `severity`. */
export function severityOf(labels: RuleOptions['labels']): number | undefined {
  const severity = labels?.['severity'];
  if (severity === undefined) return undefined;
  const known = SEVERITIES.indexOf(severity);
  return known === -1 ? SEVERITIES.length : known;
}

/** True for a rule with a member beside labels that the document does not have: its messages have `state` and `since`. */
export function hasMessageState(rule: RuleOptions & Pick<RuleDraft, 'condition'>): boolean {
  return MESSAGE_OPTIONS.some((name) => rule[name] !== undefined) || isExtended(rule.condition);
}

function isExtended(condition: Condition): boolean {
  const form = formOf(condition);
  if (form.is !== 'comparisons') return true;
  return form.comparisons.some(([, { clear, aggregate }]) => clear !== undefined || aggregate !== undefined);
}

/** True for the action that also sends an e-mail. */
export function isEmail(action: Action): action is EmailAction {
  return action.actionName === 'notify-email';
}

/** Returns the first rule with this id in the lists; undefined if no list has one. */
export function findRule(ruleId: string, ...lists: readonly (readonly Rule[])[]): Rule | undefined {
  for (const rules of lists) {
    const found = rules.find((rule) => rule.ruleId === ruleId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first rule with this id in the lists. Throws `Refusal('not-found')` if no list has one. */
export function ruleIn(ruleId: string, ...lists: readonly (readonly Rule[])[]): Rule {
  const rule = findRule(ruleId, ...lists);
  if (rule === undefined) throw new Refusal('not-found', `ruleId: no rule ${ruleId} here`);
  return rule;
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
  const old = ruleIn(ruleId, rules);
  const rule = Object.fromEntries(
    Object.entries({ ...old, ...change }).filter(([, value]) => value !== null),
  ) as unknown as Rule;
  return {
    rules: rules.map((candidate) => (candidate === old ? rule : candidate)),
    changed: { name: rule.name, condition: rule.condition, action: rule.action, ...ruleOptionsOf(rule) },
  };
}

/** Removes one rule. Throws `Refusal('not-found')` for an unknown rule. */
export function withoutRule(rules: readonly Rule[], ruleId: string): readonly Rule[] {
  const removed = ruleIn(ruleId, rules);
  return rules.filter((rule) => rule !== removed);
}

/** The labels that the service itself gives each alert at an Alertmanager. */
export const OWN_LABELS = ['alertname', 'tenant', 'server', 'rule_id'] as const;
