import { LRUCache } from 'lru-cache';
import type { ServerContext } from '../policy/server/server-context.js';
import { subscribedRulesOf } from '../policy/server/subscribed-rules.js';
import { stateName } from '../policy/state/subscription-state.js';
import type { TenantView } from '../policy/tenant/tenant-view.js';
import { windowOf } from '../policy/windows/window.js';

/** Tenants whose rules are known, those with the newest measurements. */
const TENANTS = 1_000;
/** Rules of a tenant that are known. */
const RULES = 10_000;

/** Keeps when each rule was last evaluated, as this node sees it from its start on. */
export function createLastEvaluations() {
  /** By tenant, and by id of the rule: ms since the epoch. Each measurement comes here: two levels need no new key for it. */
  const times = new LRUCache<string, Map<string, number>>({ max: TENANTS });

  return {
    /** Takes a server before and after measurements: the rules whose windows are full and got a value were evaluated. */
    add(
      from: ServerContext | undefined,
      to: ServerContext,
      tenant: Pick<TenantView, 'rules' | 'quiet'>,
    ): void {
      const ofTenant = times.get(to.address.tenant) ?? new Map<string, number>();
      if (ofTenant.size === 0) times.set(to.address.tenant, ofTenant);
      for (const { rule, condition, index } of subscribedRulesOf(to, tenant).all) {
        if (stateName(to.states[index]) === 'filling') continue;
        for (const metric of condition.metrics) {
          const { at } = windowOf(to.windows, metric);
          if (from !== undefined && at === windowOf(from.windows, metric).at) continue;
          ofTenant.set(rule.ruleId, at);
          break;
        }
      }
      // A map lists its keys in the order in which they came.
      while (ofTenant.size > RULES) ofTenant.delete(ofTenant.keys().next().value!);
    },
    /** Returns when a rule was last evaluated, ms since the epoch; undefined: it was not, as far as this node knows. */
    of: (tenant: string, ruleId: string): number | undefined => times.peek(tenant)?.get(ruleId),
  };
}
