import { contextIn } from '../../actors/behavior.js';
import type { Policy } from '../../policy/policy.js';
import { serversIn } from '../../policy/fleet/fleet-counts.js';
import { TENANT, type TenantContext } from '../../policy/tenant/tenant-machine.js';
import { addressOf, type Listed, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { Page } from '../actors-view.js';
import type { Range } from '../query.js';
import type { TenantSummary } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** Tenants whose servers are counted at once. */
const AT_ONCE = 16;

/** Returns a page of the tenants in the order of their ids. A page is shorter than its limit if tenants have many rules. */
export async function listTenants(
  store: Pick<Store, 'list'>,
  fleet: Pick<Policy['fleet'], 'counts' | 'subscriptions'>,
  { after, limit }: Pick<Range, 'after' | 'limit'>,
): Promise<Page<TenantSummary>> {
  const { items, more } = await store.list({ kind: TENANT, after, limit: limit + 1 });
  const page = items.slice(0, limit);
  const hasMore = more || items.length > limit;
  const tenants = await mapInBatches(page, AT_ONCE, async (listed) => summaryOf(listed, fleet));
  return { items: tenants, next: hasMore ? page.at(-1)!.id : null };
}

async function summaryOf(
  listed: Listed,
  fleet: Pick<Policy['fleet'], 'counts' | 'subscriptions'>,
): Promise<TenantSummary> {
  const { tenant: id } = addressOf(listed.id);
  const { names, seenAt, deletedAt } = contextIn(listed) as TenantContext;
  const [{ states }, subscriptions] = await Promise.all([fleet.counts(id), fleet.subscriptions(id)]);
  return {
    id,
    names,
    servers: serversIn({ states }),
    subscriptions,
    firing: states.firing.servers,
    seenAt: seenAt === undefined ? null : isoOf(seenAt),
    ...(deletedAt === undefined ? {} : { state: 'deleting' }),
  };
}
