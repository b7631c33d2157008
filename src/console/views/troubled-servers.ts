import { contextIn } from '../../actors/behavior.js';
import { rowOf } from '../../policy/fleet/server-row.js';
import { quietOfRule, quietOfServer } from '../../policy/quiet/matching.js';
import { quietEnd } from '../../policy/quiet/quiet-time.js';
import { findRule } from '../../policy/rules/rule.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { worstOf } from '../../policy/server/server-place.js';
import type { TenantView } from '../../policy/tenant/tenant-view.js';
import { tenantViews, UNREADABLE_TENANT } from '../../policy/tenant/tenant-views.js';
import type { Tenants } from '../../policy/tenant/tenants.js';
import { ackOf, stateFrom, stateName } from '../../policy/state/subscription-state.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Outline, type Store } from '../../store/port.js';
import { isoOf } from '../../system/iso.js';
import { lruCache } from '../../system/lru-cache.js';
import type { TroubledServer, TroubledServersView, TroubleGroup } from '../shapes.js';

/** States of a server that needs somebody, the worse first. */
const STATES = ['firing', 'noData'] as const;
/** Servers that are grouped at most, of each state, and outlines that are read at a time. */
const READ = { ofState: 1_000, atOnce: 200 };
/** Groups that are shown, and servers of each. */
const SHOWN = { groups: 12, ofGroup: 5 };
/** Servers whose trouble is kept until they change. */
const KEPT = 10_000;

/** What makes a server need somebody: its worst subscription. */
interface Trouble {
  readonly state: (typeof STATES)[number];
  readonly ruleId: string;
  /** Name of the server's own rule; undefined: the rule is the tenant's. */
  readonly ownName: string | undefined;
  /** Lower for a more severe rule. */
  readonly severity: number;
  /** When it began, ms since the epoch; 0: it is not known. */
  readonly since: number;
  /** True if somebody looks after each subscription that is firing or without data. */
  readonly acknowledged: boolean;
  /** End of the last mute of one of its subscriptions, ms since the epoch; 0: none. */
  readonly mutedUntil: number;
  /** The rules of its subscriptions, with the names of its own. */
  readonly rules: readonly (readonly [ruleId: string, ownName: string | undefined])[];
}

interface Troubled extends Trouble {
  /** Id of the server's document. */
  readonly id: string;
  readonly muted: boolean;
}

/** Servers with one rule in one state. */
interface Group {
  readonly tenant: string;
  readonly name: string;
  readonly servers: Troubled[];
}

/** Returns the troubled servers of one tenant; undefined: of all. `now` is in ms since the epoch. */
export type TroubledServers = (tenant: string | undefined, now: number) => Promise<TroubledServersView>;

/**
 * Creates the reading of the servers that fire or have no data, grouped by rule. It reads only servers that have changed
 * since it was called last.
 */
export function createTroubledServers(
  store: Pick<Store, 'outline' | 'load'>,
  tenants: Pick<Tenants, 'view'>,
): TroubledServers {
  const kept = lruCache<{ readonly revision: number; readonly trouble: Trouble | undefined }>(KEPT);

  const troubleOf = async ({ id, revision }: Outline): Promise<Trouble | undefined> => {
    const known = kept.get(id);
    if (known?.revision === revision) return known.trouble;
    const stored = await store.load(id);
    const trouble = stored && troubleIn(contextIn(stored) as ServerContext);
    kept.set(id, { revision: stored?.revision ?? revision, trouble });
    return trouble;
  };

  return async (tenant, now) => {
    const viewTenant = tenantViews(tenants);
    const groups = new Map<string, Group>();
    /** States of which not all servers were read. */
    const cut = new Set<string>();
    const mutedIn = { firing: 0, noData: 0 };
    for (const state of STATES) {
      let read = 0;
      const ask = (after: string | undefined) =>
        store.outline({ kind: SERVER, tenant, state, after, limit: READ.atOnce });
      for await (const page of pages(ask)) {
        for (const outline of page) {
          const trouble = await troubleOf(outline);
          if (trouble === undefined) continue;
          const owner = addressOf(outline.id).tenant;
          const view = (await viewTenant(owner)) ?? UNREADABLE_TENANT;
          const name = trouble.ownName ?? findRule(trouble.ruleId, view.rules)?.name;
          if (name === undefined) continue;
          const key = JSON.stringify([trouble.state, owner, name]);
          const group = groups.get(key) ?? { tenant: owner, name, servers: [] };
          groups.set(key, group);
          const muted = isMuted(addressOf(outline.id).name, trouble, view, now);
          if (muted) mutedIn[state] += 1;
          group.servers.push({ ...trouble, id: outline.id, muted });
        }
        read += page.length;
        if (read < READ.ofState) continue;
        cut.add(state);
        break;
      }
    }
    const sorted = [...groups.values()]
      .map((group) => ({ ...group, servers: group.servers.toSorted(oldestFirst) }))
      .toSorted((a, b) => worstFirst(a.servers[0]!, b.servers[0]!));
    const shown = sorted.slice(0, SHOWN.groups);
    return {
      groups: await Promise.all(
        shown.map(async (group) => {
          const more = cut.has(group.servers[0]!.state);
          return { ...(await shownGroup(group, store, await viewTenant(group.tenant), now)), more };
        }),
      ),
      more: sorted.length > shown.length || cut.size > 0,
      muted: mutedIn,
    };
  };
}

/** Returns the trouble of a server; undefined: it has none. */
function troubleIn(server: ServerContext): Trouble | undefined {
  const { subscriptions, states, rules } = server;
  const worst = worstOf(server);
  const state = STATES.find((one) => one === worst?.state);
  if (worst === undefined || state === undefined) return undefined;
  const { ruleId, severity = Infinity } = subscriptions[worst.index]!;
  return {
    state,
    ruleId,
    ownName: findRule(ruleId, rules)?.name,
    severity,
    since: worst.since ?? 0,
    acknowledged: subscriptions.every((_, i) => {
      const current = stateFrom(states[i]);
      const needs = STATES.some((one) => one === stateName(states[i]));
      return !needs || (current !== undefined && ackOf(current) !== undefined);
    }),
    mutedUntil: Math.max(0, ...subscriptions.map((one) => one.mutedUntil ?? 0)),
    rules: subscriptions.map((one) => [one.ruleId, findRule(one.ruleId, rules)?.name] as const),
  };
}

/** True if a subscription of a server is muted, for itself or by a quiet time. */
function isMuted(
  name: string,
  { mutedUntil, rules }: Trouble,
  tenant: Pick<TenantView, 'rules' | 'quiet'>,
  now: number,
): boolean {
  if (mutedUntil > now) return true;
  const running = quietOfServer(tenant.quiet, name).filter((one) => quietEnd(one, now) !== undefined);
  if (running.length === 0) return false;
  return rules.some(([ruleId, ownName]) => {
    const ruleName = ownName ?? findRule(ruleId, tenant.rules)?.name;
    return ruleName !== undefined && quietOfRule(running, ruleName).length > 0;
  });
}

function oldestFirst(a: Troubled, b: Troubled): number {
  return Number(a.acknowledged) - Number(b.acknowledged) || a.since - b.since;
}

/** Compares groups by their first servers. One that is acknowledged has no server left that needs somebody. */
function worstFirst(a: Troubled, b: Troubled): number {
  if (a.acknowledged !== b.acknowledged) return Number(a.acknowledged) - Number(b.acknowledged);
  const byState = STATES.indexOf(a.state) - STATES.indexOf(b.state);
  if (byState !== 0) return byState;
  return a.severity === b.severity ? a.since - b.since : a.severity - b.severity;
}

async function shownGroup(
  { tenant, name, servers }: Group,
  store: Pick<Store, 'load'>,
  view: TenantView | undefined,
  now: number,
): Promise<Omit<TroubleGroup, 'more'>> {
  const first: TroubledServer[] = [];
  for (const { id } of servers.slice(0, SHOWN.ofGroup)) {
    const stored = await store.load(id);
    if (stored === undefined) continue;
    const {
      waiting: _,
      dead: __,
      ...row
    } = rowOf(contextIn(stored) as ServerContext, view, now, NOT_COUNTED);
    first.push(row);
  }
  const oldest = Math.min(...servers.map(({ since }) => since));
  return {
    tenantId: tenant,
    ruleName: name,
    state: servers[0]!.state,
    since: oldest === 0 ? null : isoOf(oldest),
    servers: servers.length,
    acknowledged: servers.filter(({ acknowledged }) => acknowledged).length,
    muted: servers.filter(({ muted }) => muted).length,
    pattern: patternOf(servers.map(({ id }) => addressOf(id).name)),
    first,
  };
}

const NOT_COUNTED = { waiting: 0, dead: 0 };

/** Returns a pattern that fits all names: of one the name, of several their beginning, without a number that is cut. */
export function patternOf(names: readonly string[]): string | null {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  let length = first.length;
  for (const name of others) {
    while (!name.startsWith(first.slice(0, length))) length -= 1;
  }
  const beginning = first.slice(0, length).replace(/\d+$/, '');
  return beginning === '' ? null : `${beginning}*`;
}
