import { LRUCache } from 'lru-cache';
import type { ServerContext } from '../policy/server/server-context.js';
import { subscribedRulesOf } from '../policy/server/subscribed-rules.js';
import { stateName } from '../policy/state/subscription-state.js';
import type { TenantView } from '../policy/tenant/tenant-view.js';
import { windowOf } from '../policy/windows/window.js';

/** Rules whose last evaluation is kept, those evaluated last. */
const KEPT = 20_000;

/** Keeps when each rule was last evaluated, as this node sees it from its start on. */
export function createLastEvaluations() {
  /** By tenant and id of the rule, ms since the epoch. */
  const times = new LRUCache<string, number>({ max: KEPT });
  const keyOf = (tenant: string, ruleId: string): string => `${tenant}/${ruleId}`;

  return {
    /** Takes a server before and after measurements: the rules whose windows are full and got a value were evaluated. */
    add(
      from: ServerContext | undefined,
      to: ServerContext,
      tenant: Pick<TenantView, 'rules' | 'quiet'>,
    ): void {
      for (const { rule, condition, index } of subscribedRulesOf(to, tenant).all) {
        if (stateName(to.states[index]) === 'filling') continue;
        for (const metric of condition.metrics) {
          const { at } = windowOf(to.windows, metric);
          if (from !== undefined && at === windowOf(from.windows, metric).at) continue;
          times.set(keyOf(to.address.tenant, rule.ruleId), at);
          break;
        }
      }
    },
    /** Returns when a rule was last evaluated, ms since the epoch; undefined: it was not, as far as this node knows. */
    of: (tenant: string, ruleId: string): number | undefined => times.get(keyOf(tenant, ruleId)),
  };
}
