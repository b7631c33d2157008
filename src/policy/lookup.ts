import { Refusal } from '../errors.js';
import { metricsOf } from './rules/condition.js';
import type { Metric, Rule } from './rules/rule.js';
import type { Subscription, TenantView } from './server/server-context.js';

/** A subscription with the rule it watches. */
export interface Watch {
  readonly subscription: Subscription;
  readonly rule: Rule;
  readonly metrics: readonly Metric[];
}

interface Watches {
  readonly rules: readonly Rule[];
  readonly generic: readonly Rule[];
  readonly list: readonly Watch[];
}

/** Remembered per list of subscriptions: the lists are replaced, never changed, and change far less than facts come. */
const remembered = new WeakMap<readonly Subscription[], Watches>();

/**
 * What is watched on a server: its subscriptions with their rules, be they the server's own or generic ones of its
 * tenant. A subscription whose rule is gone watches nothing.
 */
export function watches(
  subscriptions: readonly Subscription[],
  rules: readonly Rule[],
  tenant: TenantView,
): readonly Watch[] {
  const known = remembered.get(subscriptions);
  if (known !== undefined && known.rules === rules && known.generic === tenant.rules) return known.list;
  const list: Watch[] = [];
  for (const subscription of subscriptions) {
    const rule = findRule(subscription.ruleId, rules, tenant.rules);
    if (rule !== undefined) list.push({ subscription, rule, metrics: metricsOf(rule.condition) });
  }
  remembered.set(subscriptions, { rules, generic: tenant.rules, list });
  return list;
}

/** The first rule of that id in the lists. */
export function findRule(ruleId: string, ...lists: readonly (readonly Rule[])[]): Rule | undefined {
  for (const rules of lists) {
    const rule = rules.find((candidate) => candidate.ruleId === ruleId);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** The refusal for a rule that is not there. */
export function unknownRule(ruleId: string): Refusal {
  return new Refusal('not-found', `ruleId: no rule ${ruleId} here`);
}

/** The refusal for a subscription that is not there. */
export function unknownSubscription(subscriptionId: string): Refusal {
  return new Refusal('not-found', `subscriptionId: no subscription ${subscriptionId} on this server`);
}
