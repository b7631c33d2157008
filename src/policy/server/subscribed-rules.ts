import { metricsOf } from '../rules/condition.js';
import type { Metric } from '../rules/condition.js';
import { findRule } from '../rules/rule.js';
import type { Rule } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { conditionKey } from '../watch/watch.js';
import type { Subscription } from './server-context.js';

/** A subscription with its rule, as an evaluation uses it. */
export interface SubscribedRule {
  readonly subscription: Subscription;
  readonly rule: Rule;
  readonly metrics: readonly Metric[];
  /** The place of the subscription, and of its watch, on the server. */
  readonly index: number;
  /** `conditionKey` of the rule's condition. */
  readonly key: string;
}

interface CachedRules {
  readonly rules: readonly Rule[];
  readonly generic: readonly Rule[];
  readonly subscribedRules: readonly SubscribedRule[];
}

/** By list of subscriptions. Lists are replaced, never changed, and change far less often than facts arrive. */
const cache = new WeakMap<readonly Subscription[], CachedRules>();

/**
 * Returns the subscriptions of a server with their rules. A rule is the server's own or a generic one of its tenant. A
 * subscription without a rule, because the rule was removed, is left out.
 */
export function subscribedRulesOf(
  subscriptions: readonly Subscription[],
  rules: readonly Rule[],
  tenant: TenantView,
): readonly SubscribedRule[] {
  const cached = cache.get(subscriptions);
  if (cached !== undefined && cached.rules === rules && cached.generic === tenant.rules) {
    return cached.subscribedRules;
  }
  const subscribedRules: SubscribedRule[] = [];
  for (const [index, subscription] of subscriptions.entries()) {
    const rule = findRule(subscription.ruleId, rules, tenant.rules);
    if (rule === undefined) continue;
    const { condition } = rule;
    subscribedRules.push({
      subscription,
      index,
      rule,
      metrics: metricsOf(condition),
      key: conditionKey(condition),
    });
  }
  cache.set(subscriptions, { rules, generic: tenant.rules, subscribedRules });
  return subscribedRules;
}
