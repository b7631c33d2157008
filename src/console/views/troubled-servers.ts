import { LRUCache } from 'lru-cache';
import { contextIn } from '../../actors/behavior.js';
import { ifReadable } from '../../actors/reading.js';
import { explainedAt, explainSubscription } from '../../policy/explain/explanation.js';
import { findRule, type Rule } from '../../policy/rules/rule.js';
import type { ServerContext } from '../../policy/server/server-context.js';
import { SERVER } from '../../policy/server/server-kind.js';
import type { TenantView } from '../../policy/tenant/tenant-view.js';
import type { Tenants } from '../../policy/tenant/tenants.js';
import { ackOf, stateFrom } from '../../policy/state/subscription-state.js';
import { currentMute } from '../../policy/state/subscription.js';
import { subscribedRulesOf } from '../../policy/server/subscribed-rules.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Outline, type Store } from '../../store/port.js';
import type { TroubledView, TroubleRow } from '../shapes.js';

/** States of a server that needs somebody, the worse first. */
const STATES = ['firing', 'noData'] as const;
/** Servers that are grouped at most, of each state, and outlines that are read at a time. */
const READ = { ofState: 2_000, atOnce: 200 };
/** Groups that are shown, and servers of each. */
const SHOWN = { groups: 12, ofGroup: 5 };
/** Servers whose trouble is kept until they change. */
const KEPT = 10_000;
/** Labels `severity` that sort, the worst first. Any other word, or none, comes last. */
const SEVERITIES: readonly (string | undefined)[] = ['critical', 'warning', 'info'];

/** What makes a server need somebody: its worst subscription, and the oldest of these. */
interface Trouble {
  readonly state: (typeof STATES)[number];
  readonly index: number;
  readonly ruleId: string;
  /** Name and labels of the server's own rule; undefined: the rule is the tenant's. */
  readonly rule: Rule | undefined;
  /** When it began, ms since the epoch; 0: it is not known. */
  readonly since: number;
  /** True if somebody looks after each subscription that is firing or without data. */
  readonly acknowledged: boolean;
}

/** A server with its trouble. */
interface Troubled extends Trouble {
  readonly id: string;
  readonly name: string;
  readonly severity: number;
}

/** Returns the troubled servers of one tenant; undefined: of all. `now` is in ms since the epoch. */
export type TroubledServers = (
  tenant: string | undefined,
  now: number,
) => Promise<Omit<TroubledView, 'unacknowledged'>>;

/**
 * Creates the reading of the servers that fire or have no data, grouped by rule. It reads only servers that have changed
 * since it was called last.
 */
export function createTroubledServers(
  store: Pick<Store, 'outline' | 'load'>,
  tenants: Pick<Tenants, 'view'>,
): TroubledServers {
  const kept = new LRUCache<string, { readonly revision: number; readonly trouble: Trouble | undefined }>({
    max: KEPT,
  });

  const troubleOf = async ({ id, revision }: Outline): Promise<Trouble | undefined> => {
    const known = kept.get(id);
    if (known?.revision === revision) return known.trouble;
    const stored = await store.load(id);
    const trouble = stored && troubleIn(contextIn(stored) as ServerContext);
    kept.set(id, { revision: stored?.revision ?? revision, trouble });
    return trouble;
  };

  return async (tenant, now) => {
    const views = new Map<string, TenantView | undefined>();
    const viewOf = async (id: string): Promise<TenantView | undefined> => {
      if (!views.has(id)) views.set(id, await ifReadable(Promise.resolve(tenants.view(id))));
      return views.get(id);
    };
    const groups = new Map<string, Troubled[]>();
    let isWhole = true;
    for (const state of STATES) {
      let read = 0;
      const ask = (after: string | undefined) =>
        store.outline({ kind: SERVER, tenant, state, after, limit: READ.atOnce });
      for await (const page of pages(ask)) {
        for (const outline of page) {
          const trouble = await troubleOf(outline);
          const { tenant: owner } = addressOf(outline.id);
          const rule =
            trouble && (trouble.rule ?? findRule(trouble.ruleId, [], (await viewOf(owner))?.rules ?? []));
          if (trouble === undefined || rule === undefined) continue;
          const severity = severityOf(rule);
          const one = { ...trouble, id: outline.id, name: rule.name, severity };
          const key = JSON.stringify([trouble.state, owner, rule.name]);
          const group = groups.get(key);
          if (group === undefined) groups.set(key, [one]);
          else group.push(one);
        }
        read += page.length;
        if (read < READ.ofState) continue;
        isWhole = false;
        break;
      }
    }
    const sorted = [...groups.values()]
      .map((group) => group.toSorted(oldestFirst))
      .toSorted(([a], [b]) => worstFirst(a!, b!));
    const shown = sorted.slice(0, SHOWN.groups);
    return {
      groups: await Promise.all(shown.map((group) => shownGroup(group, store, viewOf, now))),
      more: sorted.length > shown.length || !isWhole,
    };
  };
}

/** Returns the worst and oldest trouble of a server; undefined: it has none. */
function troubleIn({ subscriptions, states, rules }: ServerContext): Trouble | undefined {
  const found = subscriptions.flatMap(({ ruleId }, index): Trouble[] => {
    const current = stateFrom(states[index]);
    const state = STATES.find((one) => one === current?.state);
    if (current === undefined || state === undefined) return [];
    const since = (state === 'noData' ? current.noDataSince : current.since) ?? 0;
    const rule = findRule(ruleId, rules, []);
    return [{ state, index, ruleId, rule, since, acknowledged: ackOf(current) !== undefined }];
  });
  const [worst] = found.toSorted(
    (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || a.since - b.since,
  );
  return worst && { ...worst, acknowledged: found.every(({ acknowledged }) => acknowledged) };
}

function severityOf({ labels }: Rule): number {
  const at = SEVERITIES.indexOf(labels?.['severity']);
  return at === -1 ? SEVERITIES.length : at;
}

function oldestFirst(a: Troubled, b: Troubled): number {
  return Number(a.acknowledged) - Number(b.acknowledged) || a.since - b.since;
}

function worstFirst(a: Troubled, b: Troubled): number {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state) || a.severity - b.severity || a.since - b.since;
}

async function shownGroup(
  group: readonly Troubled[],
  store: Pick<Store, 'load'>,
  viewOf: (tenant: string) => Promise<TenantView | undefined>,
  now: number,
): Promise<TroubledView['groups'][number]> {
  const [{ id, state, name, since }] = group as [Troubled];
  const { tenant } = addressOf(id);
  const rows: TroubleRow[] = [];
  for (const one of group.slice(0, SHOWN.ofGroup)) {
    const stored = await store.load(one.id);
    const view = await viewOf(tenant);
    if (stored === undefined || view === undefined) continue;
    const row = rowOf(contextIn(stored) as ServerContext, view, now);
    if (row !== undefined) rows.push(row);
  }
  const oldest = Math.min(since, ...group.map((one) => one.since));
  return {
    tenantId: tenant,
    ruleName: name,
    state,
    since: oldest === 0 ? null : new Date(oldest).toISOString(),
    servers: group.length,
    acknowledged: group.filter(({ acknowledged }) => acknowledged).length,
    first: rows,
  };
}

/** Returns a server as the overview shows it; undefined: it is no longer in trouble. */
function rowOf(server: ServerContext, tenant: TenantView, now: number): TroubleRow | undefined {
  const trouble = troubleIn(server);
  const rule = trouble && findRule(trouble.ruleId, server.rules, tenant.rules);
  if (trouble === undefined || rule === undefined) return undefined;
  const bound = server.subscriptions.map((subscription, i) => ({
    subscription,
    current: stateFrom(server.states[i]),
  }));
  const explained = explainSubscription(
    explainedAt(server, tenant, new Map(), now),
    rule,
    bound[trouble.index]!,
  );
  const { state, since, sentence, comparisons, subscriptionId } = explained;
  const deciding = comparisons.find(({ holds }) => holds === true) ?? comparisons[0];
  return {
    tenantId: server.address.tenant,
    serverId: server.address.name,
    state,
    since,
    rule: { id: rule.ruleId, name: rule.name },
    subscriptionId,
    sentence,
    comparison: state !== 'firing' || deciding === undefined ? null : comparisonOf(deciding),
    marks: {
      muted: subscribedRulesOf(server, tenant).all.filter((one) => currentMute(one, now) !== undefined)
        .length,
      suspended: bound.filter(({ subscription }) => subscription.suspended !== undefined).length,
      acknowledged: bound.filter(({ current }) => current !== undefined && ackOf(current) !== undefined)
        .length,
    },
  };
}

function comparisonOf({ metric, result, operand, value }: NonNullable<TroubleRow['comparison']>) {
  return { metric, result, operand, value };
}
