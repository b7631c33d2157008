import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../../actors/behavior.js';
import { addressOf, type Store } from '../../store/port.js';
import { findRule, type Rule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { SERVER_VERSION } from '../server/server-kind.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { tenantViews, UNREADABLE_TENANT, type ViewTenant } from '../tenant/tenant-views.js';
import type { Tenants } from '../tenant/tenants.js';
import { countFleet, countSubscriptions, serversIn } from './fleet-counts.js';
import { type FleetCursor, type Walk, type Walked, walkFleet } from './fleet-walk.js';
import { keptTallies } from './kept-tallies.js';
import { type MessageCounts, readMessageCounts } from './message-counts.js';
import { createRuleStatus } from './rule-status.js';
import { rowOf } from './server-row.js';
import type { FleetRow } from './shapes.js';

/** The servers that a list has. */
export interface FleetQuery extends Walk {
  /** Id or name of the rule of one of its subscriptions. */
  readonly rule: string | undefined;
  /** A label of the rule of one of its subscriptions. */
  readonly label: { readonly name: string; readonly value: string } | undefined;
  /** Part of the id of the server, or of the name of the rule of one of its subscriptions, in any case. */
  readonly text: string | undefined;
  readonly limit: number;
}

/** A page of servers. `next`: after which the next page begins; undefined: there is none. */
export interface FleetPage {
  readonly servers: readonly FleetRow[];
  readonly next: FleetCursor | undefined;
  /** The moment that it shows; undefined: the store holds none. */
  readonly moment: string | undefined;
}

/** The lists of servers. */
export type Fleet = ReturnType<typeof createFleet>;

/** Documents read at a time to find those that fit, and maximum time of the search, ms. */
const SEARCHED = 200;
const SEARCH_MS = 100;
/** Servers that are parsed in one turn of the event loop, and how long they are presented in one, ms. */
const STEP = 25;
const TURN_MS = 10;

/**
 * Makes the lists of servers. A search that takes longer than `SEARCH_MS` ends the page: the next one goes on from there.
 */
export function createFleet(options: {
  readonly store: Pick<Store, 'shared' | 'hold' | 'list' | 'ordered' | 'tally' | 'outline' | 'load'>;
  readonly tenants: Pick<Tenants, 'view'>;
  /** ms since the epoch. */
  readonly now: () => number;
}) {
  const { store, tenants, now } = options;
  const messages: MessageCounts = readMessageCounts(store, now);
  const tally = keptTallies(store);

  return {
    /** Returns a page of servers. */
    async servers(asked: FleetQuery): Promise<FleetPage> {
      const moment = asked.after === undefined ? await momentOf(asked) : asked.moment;
      const query = { ...asked, moment };
      const { found, next } = await find(query, tenantViews(tenants));
      const servers: FleetRow[] = [];
      const at = now();
      let turnEnds = performance.now() + TURN_MS;
      for (const { server, tenant } of found) {
        servers.push(rowOf(server, tenant, at, await messages(server)));
        if (performance.now() < turnEnds) continue;
        await setImmediate();
        turnEnds = performance.now() + TURN_MS;
      }
      return { servers, next, moment };
    },
    /** Returns how many servers of a tenant are in which state; undefined: of all tenants. */
    counts: (tenant: string | undefined) => countFleet(tally, tenant),
    /** Returns how many servers a tenant has. */
    serverCount: async (tenant: string): Promise<number> => serversIn(await countFleet(tally, tenant)),
    /** Returns how many subscriptions the servers of a tenant have. */
    subscriptions: (tenant: string) => countSubscriptions(tally, tenant),
    /** Returns a page of rules with the states of the servers that have subscriptions of them. */
    rules: createRuleStatus({ store, tenants, tally }),
  };

  /** Holds the moment of a first page that may have others. A shared store holds none. */
  async function momentOf({ tenant, limit }: FleetQuery): Promise<string | undefined> {
    if (store.shared) return undefined;
    return serversIn(await countFleet(tally, tenant)) > limit ? store.hold() : undefined;
  }

  async function find(
    query: FleetQuery,
    viewTenant: ViewTenant,
  ): Promise<{ readonly found: readonly Found[]; readonly next: FleetCursor | undefined }> {
    const { rule, label, text, limit } = query;
    const isSearch = rule !== undefined || label !== undefined || text !== undefined;
    const end = performance.now() + SEARCH_MS;
    const fits = matcher(query);
    const found: Found[] = [];
    let last: Walked | undefined;
    let lastFound: Walked | undefined;
    let parsed = 0;
    for await (const listed of walkFleet(store, query, isSearch ? SEARCHED : limit + 1)) {
      if (parsed > 0 && parsed % STEP === 0) {
        if (isSearch && performance.now() >= end) return { found, next: last };
        await setImmediate();
      }
      parsed += 1;
      last = listed;
      if (listed.version > SERVER_VERSION) continue;
      const server = contextIn(listed) as ServerContext;
      const tenant = await viewTenant(addressOf(listed.id).tenant);
      if (isSearch && !fits(server, tenant)) continue;
      if (found.length === limit) return { found, next: lastFound };
      found.push({ server, tenant });
      lastFound = listed;
    }
    return { found, next: undefined };
  }
}

/** A server of a page, with its tenant; undefined if this service cannot read the tenant. */
interface Found {
  readonly server: ServerContext;
  readonly tenant: TenantView | undefined;
}

/** Returns the test whether a server fits the parts of a query that no index answers. */
function matcher({ rule, label, text }: FleetQuery) {
  const wanted = text?.toLowerCase();
  const has = (one: Rule): boolean =>
    (rule === undefined || one.ruleId === rule || one.name === rule) &&
    (label === undefined || one.labels?.[label.name] === label.value);
  const isNamed = (one: Rule): boolean => one.name.toLowerCase().includes(wanted!);
  /** Ids of the generic rules that fit, by the rules of a tenant: they are compared once for all its servers. */
  const generic = new Map<
    readonly Rule[],
    { readonly has: ReadonlySet<string>; readonly named: ReadonlySet<string> }
  >();
  const idsOf = (rules: readonly Rule[], test: (one: Rule) => boolean): ReadonlySet<string> =>
    new Set(rules.filter(test).map(({ ruleId }) => ruleId));
  const genericOf = (rules: readonly Rule[]) => {
    const known = generic.get(rules) ?? {
      has: idsOf(rules, has),
      named: wanted === undefined ? new Set() : idsOf(rules, isNamed),
    };
    generic.set(rules, known);
    return known;
  };

  return ({ address, subscriptions, rules }: ServerContext, tenant: TenantView | undefined): boolean => {
    const ofTenant = genericOf((tenant ?? UNREADABLE_TENANT).rules);
    const anyRule = (ids: ReadonlySet<string>, test: (one: Rule) => boolean): boolean =>
      subscriptions.some(({ ruleId }) => {
        if (ids.has(ruleId)) return true;
        const own = findRule(ruleId, rules);
        return own !== undefined && test(own);
      });
    if ((rule !== undefined || label !== undefined) && !anyRule(ofTenant.has, has)) return false;
    if (wanted === undefined || address.name.toLowerCase().includes(wanted)) return true;
    return anyRule(ofTenant.named, isNamed);
  };
}
