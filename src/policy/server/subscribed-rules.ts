import { compiled, type CompiledCondition } from '../rules/compiled.js';
import { type Metric, METRICS } from '../rules/metrics.js';
import { findRule, type Rule } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { Subscription } from './server-context.js';

/** A subscription with its rule, as an evaluation uses it. */
export interface SubscribedRule {
  readonly subscription: Subscription;
  readonly rule: Rule;
  readonly condition: CompiledCondition;
  /** The place of the subscription, and of its state, on the server. */
  readonly index: number;
}

/** The subscriptions of a server with their rules. */
export interface SubscribedRules {
  readonly all: readonly SubscribedRule[];
  /** Those whose rule has `noData`. */
  readonly withNoData: readonly SubscribedRule[];
  /**
   * The metrics that have windows: those of the document, and the custom metrics that the conditions name. There may be more
   * than `CUSTOM_METRICS_LIMIT` of these: a rule of the tenant may be changed while a subscription of it is made. Nothing can be
   * added then.
   */
  readonly tracked: readonly Metric[];
  /** The metrics of the comparisons that have a `clear`. */
  readonly clearMetrics: readonly Metric[];
}

/** Maximum number of custom metrics with windows on one server. Operations that would exceed it are refused. */
export const CUSTOM_METRICS_LIMIT = 32;

interface CachedRules {
  readonly rules: readonly Rule[];
  readonly generic: readonly Rule[];
  readonly subscribedRules: SubscribedRules;
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
): SubscribedRules {
  const cached = cache.get(subscriptions);
  if (cached !== undefined && cached.rules === rules && cached.generic === tenant.rules) {
    return cached.subscribedRules;
  }
  const all = subscriptions.flatMap((subscription, index): readonly SubscribedRule[] => {
    const rule = findRule(subscription.ruleId, rules, tenant.rules);
    return rule === undefined ? [] : [{ subscription, index, rule, condition: compiled(rule.condition) }];
  });
  const subscribedRules = {
    all,
    withNoData: all.filter(({ rule }) => rule.noData !== undefined),
    tracked: [...METRICS, ...customMetricsOf(all)],
    clearMetrics: clearMetricsOf(all),
  };
  cache.set(subscriptions, { rules, generic: tenant.rules, subscribedRules });
  return subscribedRules;
}

/** Returns the custom metrics that the conditions name. */
export function customMetricsOf(subscribed: readonly Pick<SubscribedRule, 'condition'>[]): readonly Metric[] {
  return [...new Set(subscribed.flatMap(({ condition }) => condition.customMetrics))];
}

/** True if the alerts of a subscription are not sent at `now`: it is muted or suspended. */
export function isSuppressed(
  subscription: Pick<Subscription, 'suspended' | 'mutedUntil'>,
  now: number,
): boolean {
  return subscription.suspended !== undefined || currentMuteEnd(subscription, now) !== undefined;
}

function clearMetricsOf(all: readonly SubscribedRule[]): readonly Metric[] {
  const comparisons = all.flatMap(({ condition }) => condition.comparisons);
  return [...new Set(comparisons.filter(({ clear }) => clear !== undefined).map(({ metric }) => metric))];
}

/** Returns the end of the mute of a subscription, ms since the epoch; undefined if it is not muted at `now`. */
export function currentMuteEnd(
  { mutedUntil }: Pick<Subscription, 'mutedUntil'>,
  now: number,
): number | undefined {
  return mutedUntil !== undefined && now < mutedUntil ? mutedUntil : undefined;
}

/** Returns a subscription that is not muted. */
export function withoutMute(subscription: Subscription): Subscription {
  const { mutedUntil: _, mutedAt: __, ...unmuted } = subscription;
  return unmuted;
}

/** Returns the first end of the mutes of some subscriptions, ms since the epoch; undefined if none is muted. */
export function firstEndOfMute(subscriptions: readonly Subscription[]): number | undefined {
  let first: number | undefined;
  for (const { mutedUntil } of subscriptions) {
    if (mutedUntil !== undefined && (first === undefined || mutedUntil < first)) first = mutedUntil;
  }
  return first;
}
