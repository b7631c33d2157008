import { contextIn } from '../../actors/behavior.js';
import { DELIVERY, PENDING_STATES } from '../../delivery/delivery.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import type { Fleet } from '../../policy/fleet/fleet.js';
import type { FleetCounts } from '../../policy/fleet/shapes.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { TENANT } from '../../policy/tenant/tenant-machine.js';
import type { Store } from '../../store/port.js';
import { isoOf } from '../../system/iso.js';
import { ttlCache } from '../../system/ttl-cache.js';
import type { Receivers } from '../../operator/receivers/receivers-view.js';
import type { DependencyState } from '../../operator/shapes.js';
import type { CountView, OverviewView, TroubledServersView, TroubleView } from '../shapes.js';
import type { Rates } from './rates.js';
import type { TroubledServers } from './troubled-servers.js';

/** The overview of one tenant; undefined: of the whole service. */
export interface Overview {
  readonly view: (tenant: string | undefined) => Promise<OverviewView>;
  /** Returns the number of those in trouble. */
  readonly inTrouble: (tenant: string | undefined) => Promise<CountView>;
}

export interface OverviewOptions {
  readonly store: Store;
  readonly fleet: Pick<Fleet, 'counts'>;
  readonly troubledServers: TroubledServers;
  readonly receivers: Pick<Receivers, 'inTrouble'>;
  readonly rates: Rates;
  /** Returns the changes of states of one tenant; undefined: of all tenants. */
  readonly changes: (tenant: string | undefined) => OverviewView['changes'];
  /** Returns the number of requests with measurements that were refused in the last hour. */
  readonly refusedLastHour: () => number;
  /** Returns the figures of the ledger. undefined without a ledger. */
  readonly ledger: (() => NonNullable<OverviewView['ledger']>) | undefined;
  readonly dependencies: () => readonly DependencyState[];
  /** Returns ms since the epoch. */
  readonly now: () => number;
}

/** What is counted of those in trouble, without the list of the servers. */
type TroubleCounts = Omit<TroubleView, keyof TroubledServersView>;

/** Lifetime of an overview, ms: many consoles cost what one costs. */
const TTL_MS = 1_500;
/** Tenants whose overview is kept. */
const KEPT = 1_000;
/** Documents that are counted at most. */
const MAX_COUNTED = 100_000;
/** Maximum number of receivers in an overview. */
const RECEIVERS = 50;
/** Documents that are read to find what exists already. */
const LOOKED_INTO = 50;

/** Creates the overview. The store counts servers with each commit, and deliveries in its indexes of states. */
export function createOverview(options: OverviewOptions): Overview {
  const { store, fleet, rates, refusedLastHour, ledger, dependencies, now } = options;
  const cache = ttlCache<OverviewView>({ ttlMs: TTL_MS, max: KEPT, now });
  const troubles = ttlCache<TroubleCounts>({ ttlMs: TTL_MS, max: KEPT, now });

  const countTrouble = (tenant: string | undefined): Promise<TroubleCounts> =>
    troubles.get(tenant ?? '', async () => {
      const { inTrouble } = await fleet.counts(tenant);
      const { receivers, count: failing } = await options.receivers.inTrouble(tenant, RECEIVERS);
      return {
        total: { count: inTrouble + failing, more: false },
        unacknowledged: { count: inTrouble, more: false },
        receivers: { receivers, more: failing > receivers.length },
      };
    });

  const count = async (tenant: string | undefined, kind: string, ...states: string[]): Promise<CountView> => {
    let counted = 0;
    for (const state of states) {
      counted += await store.count({ kind, tenant, state, limit: MAX_COUNTED + 1 - counted });
      if (counted > MAX_COUNTED) break;
    }
    return { count: Math.min(counted, MAX_COUNTED), more: counted > MAX_COUNTED };
  };

  const load = async (tenant: string | undefined): Promise<OverviewView> => {
    const { muted, ...troubled } = await options.troubledServers(tenant, now());
    const servers = withQuiet(stateCounts(await fleet.counts(tenant)), muted);
    return {
      at: isoOf(now()),
      servers,
      trouble: { ...(await countTrouble(tenant)), ...troubled },
      changes: options.changes(tenant),
      rates: tenant === undefined ? rates.read() : null,
      deliveries: {
        waiting: await count(tenant, DELIVERY, ...PENDING_STATES),
        dead: await count(tenant, DELIVERY, 'dead'),
      },
      refusedLastHour: tenant === undefined ? refusedLastHour() : null,
      ledger: tenant === undefined ? (ledger?.() ?? null) : null,
      dependencies: tenant === undefined ? dependencies() : [],
      setup: await setupOf(store, tenant, servers),
    };
  };

  return {
    view: (tenant) => cache.get(tenant ?? '', () => load(tenant)),
    inTrouble: async (tenant) => (await countTrouble(tenant)).total,
  };
}

/** Counts the quiet times in: places in the list of servers do not have them. `muted`: of the servers in trouble that were read. */
function withQuiet(
  servers: OverviewView['servers'],
  muted: TroubledServersView['muted'],
): OverviewView['servers'] {
  const counted = (state: keyof typeof muted) => ({
    ...servers[state],
    muted: Math.max(servers[state].muted, muted[state]),
  });
  return { ...servers, firing: counted('firing'), noData: counted('noData') };
}

function stateCounts({ states }: FleetCounts): OverviewView['servers'] {
  const counted = Object.entries(states).map(([state, { servers, ...marks }]) => {
    return [state, { count: servers, more: false, ...marks }] as const;
  });
  return Object.fromEntries(counted) as OverviewView['servers'];
}

/** The context of a server; of a tenant, which has no facts, the rules alone. */
type Known = Pick<ServerContext, 'rules' | 'factId'>;

/** Returns what exists already. Looks into the first documents only: this is about an empty service. */
async function setupOf(
  store: Store,
  tenant: string | undefined,
  { firing, noData, pending, filling, calm }: OverviewView['servers'],
): Promise<OverviewView['setup']> {
  const evaluated = firing.count + pending.count + calm.count > 0;
  const subscriptions = evaluated || noData.count + filling.count > 0;
  if (evaluated) return { rules: true, subscriptions, facts: true };
  const inFirst = async (kind: string, test: (context: Known) => boolean): Promise<boolean> => {
    const { items } = await store.list({ kind, tenant, limit: LOOKED_INTO });
    return items.some((listed) => test(contextIn(listed) as Known));
  };
  const hasRules = ({ rules }: Known): boolean => rules.length > 0;
  return {
    rules: subscriptions || (await inFirst(SERVER, hasRules)) || (await inFirst(TENANT, hasRules)),
    subscriptions,
    facts: await inFirst(SERVER, ({ factId }) => factId > 0),
  };
}
