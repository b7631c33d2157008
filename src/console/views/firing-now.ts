import { contextIn } from '../../actors/behavior.js';
import { explainRule } from '../../policy/explain/explanation.js';
import { findRule } from '../../policy/rules/rule.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import type { ServerState } from '../../policy/server/server-machine.js';
import type { TenantView } from '../../policy/tenant/tenant-view.js';
import type { Tenants } from '../../policy/tenant/tenants.js';
import { isFiring } from '../../policy/watch/watch.js';
import type { Store } from '../../store/port.js';
import type { FiringView } from '../shapes.js';

const FIRING: ServerState = 'firing';
/** Firing servers that are looked into. */
const SERVERS = 20;
/** Firing subscriptions that are shown, of one server and in all. */
const SHOWN = { ofServer: 5, inAll: 10 };

/** Returns firing subscriptions, the newest firing first. `tenant` limits them to one tenant. */
export async function firingNow(
  store: Store,
  tenants: Pick<Tenants, 'view'>,
  tenant: string | undefined,
  now: number,
): Promise<readonly FiringView[]> {
  const { items } = await store.list({ kind: SERVER, tenant, state: FIRING, limit: SERVERS });
  const found = await Promise.all(
    items.map(async (listed) => {
      const server = contextIn(listed) as ServerContext;
      return firingOn(server, await tenants.view(server.address.tenant), now);
    }),
  );
  return found
    .flat()
    .toSorted((a, b) => String(b.since).localeCompare(String(a.since)))
    .slice(0, SHOWN.inAll);
}

/** Returns some firing subscriptions of a server with their sentences. */
function firingOn(server: ServerContext, tenant: TenantView, now: number): readonly FiringView[] {
  const { subscriptions, watches = [], rules, address } = server;
  const firing = subscriptions.filter((_, i) => isFiring(watches[i] ?? null));
  return firing.slice(0, SHOWN.ofServer).flatMap((subscription) => {
    const rule = findRule(subscription.ruleId, rules, tenant.rules);
    if (rule === undefined) return [];
    const watch = watches[subscriptions.indexOf(subscription)]!;
    const alone = { ...server, subscriptions: [subscription], watches: [watch] };
    const [explained] = explainRule(alone, tenant, rule, new Map(), now).subscriptions;
    if (explained?.state !== FIRING) return [];
    return [
      {
        tenantId: address.tenant,
        serverId: address.name,
        ruleId: rule.ruleId,
        ruleName: rule.name,
        subscriptionId: subscription.id,
        since: explained.since,
        sentence: explained.sentence,
      },
    ];
  });
}
