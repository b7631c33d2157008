import { compiled } from '../rules/compiled.js';
import { inMetricOrder, type Metric, METRICS } from '../rules/metrics.js';
import { findRule, type Rule } from '../rules/rule.js';
import { quietOfRule, quietOfServer } from '../quiet/matching.js';
import type { QuietTime } from '../quiet/quiet-time.js';
import type { SubscribedRule, Subscription } from '../state/subscription.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { ServerContext } from './server-context.js';

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
  /** The metrics that the conditions name, in the order in which they are shown. */
  readonly watched: readonly Metric[];
  /** The metrics of the comparisons that have a `clear`. */
  readonly clearMetrics: readonly Metric[];
}

/** Maximum number of custom metrics with windows on one server. Operations that would exceed it are refused. */
export const CUSTOM_METRICS_LIMIT = 32;

interface CachedRules {
  readonly rules: readonly Rule[];
  readonly generic: readonly Rule[];
  readonly quiet: readonly QuietTime[];
  readonly subscribedRules: SubscribedRules;
}

/**
 * A list of subscriptions keeps its rules under this key. Lists are replaced, never changed, and change far less often than facts
 * arrive. No WeakMap: V8 takes its values for used when it collects young objects, and so keeps each server that was read for
 * one fact until it collects old ones.
 */
const RULES = Symbol('rules of subscriptions');
type Caching = readonly Subscription[] & { [RULES]?: CachedRules };

/**
 * Returns the subscriptions of a server with their rules. A rule is the server's own or a generic one of its tenant. A
 * subscription without a rule, because the rule was removed, is left out.
 */
export function subscribedRulesOf(
  { address, subscriptions, rules }: Pick<ServerContext, 'address' | 'subscriptions' | 'rules'>,
  tenant: Pick<TenantView, 'rules' | 'quiet'>,
): SubscribedRules {
  const cached = (subscriptions as Caching)[RULES];
  const { rules: generic, quiet } = tenant;
  if (cached?.rules === rules && cached.generic === generic && cached.quiet === quiet)
    return cached.subscribedRules;
  const ofServer = quietOfServer(quiet, address.name);
  const all = subscriptions.flatMap((subscription, index): readonly SubscribedRule[] => {
    const rule = findRule(subscription.ruleId, rules, generic);
    if (rule === undefined) return [];
    const condition = compiled(rule.condition);
    return [{ subscription, index, rule, condition, quiet: quietOfRule(ofServer, rule.name) }];
  });
  const withClear = all.flatMap(({ condition }) =>
    condition.comparisons.filter(({ clear }) => clear !== undefined),
  );
  const subscribedRules = {
    all,
    withNoData: all.filter(({ rule }) => rule.noData !== undefined),
    tracked: [...METRICS, ...customMetricsOf(all)],
    watched: [...new Set(all.flatMap(({ condition }) => condition.metrics))].toSorted(inMetricOrder),
    clearMetrics: [...new Set(withClear.map(({ metric }) => metric))],
  };
  (subscriptions as Caching)[RULES] = { rules, generic, quiet, subscribedRules };
  return subscribedRules;
}

/** Returns the custom metrics that the conditions name. */
export function customMetricsOf(subscribed: readonly Pick<SubscribedRule, 'condition'>[]): readonly Metric[] {
  return [...new Set(subscribed.flatMap(({ condition }) => condition.customMetrics))];
}
