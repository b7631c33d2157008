import { contextIn } from '../../actors/behavior.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import { ttlCache } from '../../system/ttl-cache.js';
import { findRule, type Rule } from '../rules/rule.js';
import type { ServerContext } from '../server/server-context.js';
import { SERVER_VERSION } from '../server/server-kind.js';
import { GENERIC_LETTER, OWN_LETTER, ruleOfTag } from '../server/server-place.js';
import { STATE_NAMES } from '../state/subscription-state.js';
import { TENANT } from '../tenant/tenant-machine.js';
import { tenantViews, UNREADABLE_TENANT } from '../tenant/tenant-views.js';
import type { Tenants } from '../tenant/tenants.js';
import type { ReadTally } from './kept-tallies.js';
import type { RuleStatus } from './shapes.js';

/** A rule of the list, after which the list goes on. */
export interface RuleCursor {
  readonly tenant: string;
  readonly ruleId: string;
}

export interface RulesQuery {
  /** undefined: all tenants. */
  readonly tenant: string | undefined;
  /** The last rule of the page before. */
  readonly after: RuleCursor | undefined;
  readonly limit: number;
}

/** A page of rules. `next`: its last rule; undefined: there is no further page. */
export interface RulesPage {
  readonly rules: readonly RuleStatus[];
  readonly next: RuleCursor | undefined;
}

type States = RuleStatus['states'];

/** A rule that has subscriptions. `id`: of a server that has one. */
interface Bound {
  readonly own: boolean;
  readonly id: string;
  readonly states: States;
}

/** Lifetime of the counts of one tenant, or of all, ms, and how many of these are kept. */
const KEPT = { ttlMs: 1_000, max: 100 };
/** The tenants that are listed. */
const KNOWN = { kind: TENANT, state: 'known' } as const;
/** Documents read at once. */
const AT_ONCE = 64;
/** Tenants whose rules are read at a time. */
const TENANTS = 50;

/**
 * Makes the list of rules with the states of the servers that have subscriptions of them: of each tenant its generic rules, then
 * the rules of its servers that have subscriptions. It reads counts, and the documents of the tenants and servers of a page.
 */
export function createRuleStatus(options: {
  readonly store: Pick<Store, 'outline' | 'load'>;
  readonly tenants: Pick<Tenants, 'view'>;
  readonly tally: ReadTally;
  readonly now: () => number;
}) {
  const { store, tenants, tally, now } = options;
  const cache = ttlCache<ReadonlyMap<string, ReadonlyMap<string, Bound>>>({ ...KEPT, now });

  /** Resolves with the rules that have subscriptions, by tenant and id. */
  const boundOf = async (asked: string | undefined) => {
    const byTenant = new Map<string, Map<string, Bound>>();
    for (const letter of [GENERIC_LETTER, OWN_LETTER]) {
      for (const { tag, count, id } of await tally(asked, letter)) {
        const { ruleId, state } = ruleOfTag(tag);
        const { tenant } = addressOf(id);
        let rules = byTenant.get(tenant);
        if (rules === undefined) byTenant.set(tenant, (rules = new Map<string, Bound>()));
        const known = rules.get(ruleId) ?? { own: letter === OWN_LETTER, id, states: nowhere() };
        rules.set(ruleId, { ...known, states: { ...known.states, [state]: count } });
      }
    }
    return byTenant;
  };

  /** Yields the tenants from one on, in the order of their ids. `asked`: this one alone, if it is known. */
  async function* tenantsFrom(
    first: string | undefined,
    asked: string | undefined,
  ): AsyncGenerator<string, void> {
    const start = first === undefined ? undefined : actorId({ kind: TENANT, tenant: first, name: '' });
    const ask = (after: string | undefined) =>
      store.outline({ ...KNOWN, tenant: asked, after, limit: TENANTS });
    for await (const page of pages(ask, start)) for (const { id } of page) yield addressOf(id).tenant;
  }

  /** Returns rules of a tenant after one of them, at most a number. */
  const rulesOf = async (
    tenant: string,
    bound: ReadonlyMap<string, Bound>,
    after: string | undefined,
    limit: number,
  ): Promise<readonly RuleStatus[]> => {
    const { rules } = (await tenantViews(tenants)(tenant)) ?? UNREADABLE_TENANT;
    const generic = rules.map((rule) => statusOf(tenant, rule, bound.get(rule.ruleId)));
    const own = [...bound].filter(([, one]) => one.own).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const ids = [...generic.map(({ ruleId }) => ruleId), ...own.map(([ruleId]) => ruleId)];
    const from = after === undefined ? 0 : startAfter(after, ids, generic.length);
    const shown = generic.slice(from, from + limit);
    const chosen = own.slice(Math.max(0, from - generic.length)).slice(0, limit - shown.length);
    const ofServers = await mapInBatches(chosen, AT_ONCE, async ([ruleId, one]) => {
      const stored = await store.load(one.id);
      if (stored === undefined || stored.version > SERVER_VERSION) return [];
      const rule = findRule(ruleId, (contextIn(stored) as ServerContext).rules);
      return rule === undefined ? [] : [statusOf(tenant, rule, one)];
    });
    return [...shown, ...ofServers.flat()];
  };

  return async ({ tenant, after, limit }: RulesQuery): Promise<RulesPage> => {
    const bound = await cache.get(tenant ?? '', () => boundOf(tenant));
    const rules: RuleStatus[] = [];
    for await (const one of tenantsFrom(after?.tenant, tenant)) {
      const last = after?.tenant === one ? after.ruleId : undefined;
      rules.push(...(await rulesOf(one, bound.get(one) ?? new Map(), last, limit + 1 - rules.length)));
      if (rules.length > limit) break;
    }
    const page = rules.slice(0, limit);
    const last = page.at(-1);
    const next = rules.length > limit && last !== undefined;
    return { rules: page, next: next ? { tenant: last.tenantId, ruleId: last.ruleId } : undefined };
  };
}

/** Returns where the rules after one begin, also if that one is gone: the rules of servers are sorted by id. */
function startAfter(after: string, ids: readonly string[], generic: number): number {
  const at = ids.indexOf(after);
  if (at !== -1) return at + 1;
  const next = ids.findIndex((id, i) => i >= generic && id > after);
  return next === -1 ? ids.length : next;
}

function statusOf(tenantId: string, rule: Rule, bound: Bound | undefined): RuleStatus {
  const { ruleId, name, labels = {} } = rule;
  const serverId = bound?.own === true ? addressOf(bound.id).name : null;
  return { tenantId, serverId, ruleId, name, labels, states: bound?.states ?? nowhere() };
}

function nowhere(): States {
  return Object.fromEntries(STATE_NAMES.map((state) => [state, 0])) as States;
}
