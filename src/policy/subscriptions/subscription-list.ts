import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../../actors/behavior.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf, type Listed, type Store } from '../../store/port.js';
import { quietOfRule, quietOfServer } from '../quiet/matching.js';
import { findRule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { SERVER, SERVER_VERSION, serverAddress } from '../server/server-kind.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { Tenants } from '../tenant/tenants.js';
import type { BoundRule } from './bound-rule.js';

/** A place in the list: that of a subscription, which may be gone. Without a subscription, the end of a server's. */
export interface SubscriptionCursor {
  readonly serverId: string;
  readonly subscriptionId?: string | undefined;
}

/** The subscriptions that a list has. */
export interface SubscriptionQuery {
  readonly tenant: string;
  /** The id of a server. */
  readonly server: string | undefined;
  /** The id or the name of a rule. */
  readonly rule: string | undefined;
  readonly after: SubscriptionCursor | undefined;
  readonly limit: number;
}

/** A subscription of a list. */
export type ListedSubscription = BoundRule & { readonly serverId: string };

/** A page. `next`: after which the next page begins; undefined: there is none. */
export interface SubscriptionPage {
  readonly subscriptions: readonly ListedSubscription[];
  readonly next: SubscriptionCursor | undefined;
}

/** Documents that are read at a time. */
const DOCUMENTS = 200;
/** Servers that are parsed in one turn of the event loop. */
const STEP = 25;
/** Time after which a search ends the page, ms. */
const SEARCH_MS = 100;

/**
 * Makes the list of a tenant's subscriptions, in the order of their servers, then of their ids. It has all that was committed
 * before the call, but for what changes meanwhile.
 */
export function createSubscriptionList({
  store,
  tenants,
}: {
  readonly store: Pick<Store, 'list' | 'load'>;
  readonly tenants: Pick<Tenants, 'committed'>;
}) {
  /** Yields the servers of a query, from that of its cursor on. */
  async function* serversOf({ tenant, server, after }: SubscriptionQuery): AsyncGenerator<readonly Listed[]> {
    const wanted = server === undefined ? undefined : actorId(serverAddress(tenant, server));
    const current = wanted ?? (after && actorId(serverAddress(tenant, after.serverId)));
    const first = current === undefined ? undefined : await store.load(current);
    if (first !== undefined && current !== undefined) yield [{ ...first, id: current }];
    if (wanted !== undefined) return;
    yield* pages((last) => store.list({ kind: SERVER, tenant, limit: DOCUMENTS, after: last }), current);
  }

  return async (query: SubscriptionQuery): Promise<SubscriptionPage> => {
    const { limit, after } = query;
    const end = performance.now() + SEARCH_MS;
    const tenant = await tenants.committed(query.tenant);
    const found: ListedSubscription[] = [];
    let searched = 0;
    for await (const page of serversOf(query)) {
      for (const listed of page) {
        const serverId = addressOf(listed.id).name;
        const past = serverId === after?.serverId ? after : undefined;
        found.push(
          ...subscriptionsOf(listed, serverId, tenant, query.rule).filter((one) => isAfter(one, past)),
        );
        if (found.length > limit) {
          const subscriptions = found.slice(0, limit);
          const last = subscriptions.at(-1)!;
          return { subscriptions, next: { serverId: last.serverId, subscriptionId: last.subscription.id } };
        }
        searched += 1;
        if (searched % STEP !== 0) continue;
        if (performance.now() >= end) return { subscriptions: found, next: { serverId } };
        await setImmediate();
      }
    }
    return { subscriptions: found, next: undefined };
  };
}

function isAfter({ subscription }: ListedSubscription, past: SubscriptionCursor | undefined): boolean {
  return past === undefined || (past.subscriptionId !== undefined && subscription.id > past.subscriptionId);
}

/** Returns the subscriptions in the document of a server, with a rule that is there, in the order of their ids. */
function subscriptionsOf(
  listed: Listed,
  serverId: string,
  tenant: TenantView,
  wanted: string | undefined,
): readonly ListedSubscription[] {
  if (listed.version > SERVER_VERSION) return [];
  const { rules, subscriptions } = contextIn(listed) as ServerContext;
  const quiet = quietOfServer(tenant.quiet, serverId);
  return subscriptions
    .flatMap((subscription): readonly ListedSubscription[] => {
      const rule = findRule(subscription.ruleId, rules, tenant.rules);
      if (rule === undefined || (wanted !== undefined && ![rule.ruleId, rule.name].includes(wanted)))
        return [];
      return [{ serverId, subscription, rule, quiet: quietOfRule(quiet, rule.name) }];
    })
    .toSorted((a, b) => (a.subscription.id < b.subscription.id ? -1 : 1));
}
