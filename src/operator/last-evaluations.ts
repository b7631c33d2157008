import type { ServerContext } from '../policy/server/server-context.js';
import { subscribedRulesOf } from '../policy/server/subscribed-rules.js';
import { stateName } from '../policy/state/subscription-state.js';
import type { TenantView } from '../policy/tenant/tenant-view.js';
import { windowOf } from '../policy/windows/window.js';
import type { Address } from '../store/port.js';
import { lruCache } from '../system/lru-cache.js';

/** Tenants whose rules are known, those with the newest measurements. */
const TENANTS = 1_000;
/** Rules of a tenant that are known. */
const RULES = 10_000;
/** Servers whose newest measurements wait to be looked through. */
const WAITING = 10_000;

/** What the rules of a tenant's servers follow from. */
type RulesOfTenant = Pick<TenantView, 'rules' | 'quiet'>;

/**
 * Keeps when each rule was last evaluated, as this node sees it from its start on. `tenantOf` returns a tenant that is in
 * memory.
 */
export function createLastEvaluations(tenantOf: (id: string) => RulesOfTenant | undefined) {
  /** By tenant, and by id of the rule: ms since the epoch. */
  const times = lruCache<Map<string, number>>(TENANTS);
  /** Servers as they were after their newest measurements. A measurement costs no more than an entry here. */
  const waiting = new Map<Address, ServerContext>();

  const add = (server: ServerContext, tenant: RulesOfTenant): void => {
    const ofTenant = times.get(server.address.tenant) ?? new Map<string, number>();
    if (ofTenant.size === 0) times.set(server.address.tenant, ofTenant);
    for (const { rule, condition, index } of subscribedRulesOf(server, tenant).all) {
      if (stateName(server.states[index]) === 'filling') continue;
      const at = Math.max(...condition.metrics.map((metric) => windowOf(server.windows, metric).at));
      if (at > (ofTenant.get(rule.ruleId) ?? 0)) ofTenant.set(rule.ruleId, at);
    }
    // A map lists its keys in the order in which they came.
    while (ofTenant.size > RULES) ofTenant.delete(ofTenant.keys().next().value!);
  };

  const lookThrough = (): void => {
    for (const server of waiting.values()) {
      const tenant = tenantOf(server.address.tenant);
      if (tenant !== undefined) add(server, tenant);
    }
    waiting.clear();
  };

  return {
    /** Takes a server with new measurements: the rules whose windows are full were evaluated when a metric of theirs came. */
    add(address: Address, server: ServerContext): void {
      waiting.set(address, server);
      if (waiting.size >= WAITING) lookThrough();
    },
    /** Returns when a rule was last evaluated, ms since the epoch; undefined: it was not, as far as this node knows. */
    of: (tenant: string, ruleId: string): number | undefined => {
      lookThrough();
      return times.peek(tenant)?.get(ruleId);
    },
  };
}
