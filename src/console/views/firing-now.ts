import { contextIn } from '../../actors/behavior.js';
import { ifReadable } from '../../actors/reading.js';
import { explainedAt, explainSubscription } from '../../policy/explain/explanation.js';
import { findRule } from '../../policy/rules/rule.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import type { ServerState } from '../../policy/explain/shapes.js';
import type { TenantView } from '../../policy/tenant/tenant-view.js';
import type { Tenants } from '../../policy/tenant/tenants.js';
import { isFiring, stateFrom, type SubscriptionState } from '../../policy/state/subscription-state.js';
import type { Listed, Store } from '../../store/port.js';
import type { FiringView, OverviewView } from '../shapes.js';

const FIRING: ServerState = 'firing';
/** Firing servers that are compared, and that are read at a time: reading 100 takes about 2 ms. */
const COMPARED = { inAll: 1_000, atOnce: 100 };
/** Firing rules that are shown, of one server and in all. */
const SHOWN = { ofServer: 5, inAll: 10 };

/** The firing rules of an overview. */
export type FiringNow = Omit<OverviewView['firing'], 'total'>;

/** Returns firing rules, those that began last first. `tenant` limits them to one tenant. */
export async function firingNow(
  store: Pick<Store, 'list' | 'load'>,
  tenants: Pick<Tenants, 'view'>,
  tenant: string | undefined,
  now: number,
): Promise<FiringNow> {
  const { servers, isWhole } = await firingServers(store, tenant);
  const newest = servers.toSorted((a, b) => b.began - a.began).slice(0, SHOWN.inAll);
  const found = await Promise.all(
    newest.map(async ({ id }) => {
      const stored = await store.load(id);
      if (stored === undefined) return { rows: [], more: false };
      const server = contextIn(stored) as ServerContext;
      const tenantView = await ifReadable(Promise.resolve(tenants.view(server.address.tenant)));
      return tenantView === undefined ? { rows: [], more: false } : firingOn(server, tenantView, now);
    }),
  );
  const rows = found
    .flatMap((one) => one.rows)
    .toSorted((a, b) => String(b.since).localeCompare(String(a.since)));
  return {
    first: rows.slice(0, SHOWN.inAll),
    more:
      !isWhole ||
      servers.length > newest.length ||
      rows.length > SHOWN.inAll ||
      found.some(({ more }) => more),
    compared: isWhole ? null : servers.length,
  };
}

/** A firing server. */
interface FiringServer {
  readonly id: string;
  /** When the newest of its periods began, ms since the epoch. */
  readonly began: number;
}

/** Returns the firing servers in the order of their ids, as many as are compared. `isWhole`: there are no more. */
async function firingServers(
  store: Pick<Store, 'list'>,
  tenant: string | undefined,
): Promise<{ readonly servers: readonly FiringServer[]; readonly isWhole: boolean }> {
  const servers: FiringServer[] = [];
  const query = { kind: SERVER, tenant, state: FIRING, limit: COMPARED.atOnce, frequentOnly: true };
  for (;;) {
    const { items, more } = await store.list({ ...query, after: servers.at(-1)?.id });
    servers.push(...items.map((listed) => ({ id: listed.id, began: beganIn(listed) })));
    if (!more) return { servers, isWhole: true };
    if (servers.length >= COMPARED.inAll) return { servers, isWhole: false };
  }
}

function beganIn(listed: Listed): number {
  const { states = [] } = contextIn(listed) as Partial<ServerContext>;
  return states.reduce(
    (newest, stored) =>
      isFiring(stored) ? Math.max(newest, (stored as SubscriptionState).since ?? 0) : newest,
    0,
  );
}

/** Returns some firing rules of a server with their sentences. `more`: there are others. */
function firingOn(
  server: ServerContext,
  tenant: TenantView,
  now: number,
): { readonly rows: readonly FiringView[]; readonly more: boolean } {
  const { subscriptions, states, rules, address } = server;
  const rows = new Map<string, FiringView>();
  const at = explainedAt(server, tenant, new Map(), now);
  const firing = subscriptions
    .map((subscription, i) => ({ subscription, stored: states[i] ?? null }))
    .filter(({ stored }) => isFiring(stored))
    .toSorted(
      (a, b) => ((b.stored as SubscriptionState).since ?? 0) - ((a.stored as SubscriptionState).since ?? 0),
    );
  for (const { subscription, stored } of firing) {
    const known = rows.get(subscription.ruleId);
    if (known !== undefined) {
      rows.set(subscription.ruleId, { ...known, subscriptions: known.subscriptions + 1 });
      continue;
    }
    if (rows.size === SHOWN.ofServer) return { rows: [...rows.values()], more: true };
    const rule = findRule(subscription.ruleId, rules, tenant.rules);
    if (rule === undefined) continue;
    const explained = explainSubscription(at, rule, { subscription, current: stateFrom(stored) });
    if (explained.state !== FIRING) continue;
    rows.set(rule.ruleId, {
      tenantId: address.tenant,
      serverId: address.name,
      ruleId: rule.ruleId,
      ruleName: rule.name,
      subscriptions: 1,
      since: explained.since,
      sentence: explained.sentence,
    });
  }
  return { rows: [...rows.values()], more: false };
}
