import { quietOfRule, quietOfServer } from '../quiet/matching.js';
import { findRule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { SubscribedRule } from '../state/subscription.js';
import { unknownSubscription } from '../server/suppression.js';

/** A subscription with the rule that it binds, and the quiet times that mute it while they last. */
export type BoundRule = Pick<SubscribedRule, 'subscription' | 'rule' | 'quiet'>;

/**
 * Makes the search for a subscription of a server, with these readers. It rejects with `Refusal('not-found')` for an
 * unknown subscription, and for one whose generic rule was removed, even if its server has not ended it yet.
 */
export function findBoundRule(read: {
  readonly server: (tenantId: string, serverId: string) => Promise<ServerContext | undefined>;
  readonly tenant: (tenantId: string) => TenantView | undefined | Promise<TenantView | undefined>;
  /** Called for a server with a subscription without a rule. */
  readonly onOrphan?: (
    tenantId: string,
    serverId: string,
    tenant: TenantView | undefined,
  ) => Promise<unknown>;
}) {
  return async (tenantId: string, serverId: string, subscriptionId: string): Promise<BoundRule> => {
    const server = await read.server(tenantId, serverId);
    const subscription = server?.subscriptions.find(({ id }) => id === subscriptionId);
    if (server === undefined || subscription === undefined) throw unknownSubscription(subscriptionId);
    const tenant = await read.tenant(tenantId);
    const rule = findRule(subscription.ruleId, server.rules, tenant?.rules ?? []);
    if (rule === undefined) {
      await read.onOrphan?.(tenantId, serverId, tenant);
      throw unknownSubscription(subscriptionId);
    }
    return {
      subscription,
      rule,
      quiet: quietOfRule(quietOfServer(tenant?.quiet ?? [], serverId), rule.name),
    };
  };
}
