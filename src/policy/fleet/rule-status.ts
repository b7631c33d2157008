import { contextIn } from '../../actors/behavior.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
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

/** A rule of a server that has subscriptions. `id`: of the server. */
interface OwnRule {
  readonly ruleId: string;
  readonly id: string;
  readonly states: States;
}

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
}) {
  const { store, tenants, tally } = options;

  /** Resolves with the numbers of servers with subscriptions of the rules of a tenant, by id of the rule. */
  const genericOf = async (
    asked: string | undefined,
    tenant: string,
  ): Promise<ReadonlyMap<string, States>> => {
    const states = new Map<string, States>();
    for (const { tag, count } of await tally({ asked, tenant, prefix: GENERIC_LETTER })) {
      const { ruleId, state } = ruleOfTag(tag);
      states.set(ruleId, { ...(states.get(ruleId) ?? nowhere()), [state]: count });
    }
    return states;
  };

  /** Resolves with the rules of servers of a tenant after one of them, at most a number, in the order of their ids. */
  const ownOf = async (
    asked: string | undefined,
    tenant: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly OwnRule[]> => {
    // Tags of rules begin with the state: one range for each.
    const ofStates = await Promise.all(
      STATE_NAMES.map((_, rank) => {
        const prefix = `${OWN_LETTER}${rank}`;
        return tally({ asked, tenant, prefix, after: after && prefix + after, limit });
      }),
    );
    const rules = ofStates.flat().map(({ tag, count, id }) => {
      const { ruleId, state } = ruleOfTag(tag);
      return { ruleId, id, states: { ...nowhere(), [state]: count } };
    });
    return rules.toSorted((a, b) => (a.ruleId < b.ruleId ? -1 : 1)).slice(0, limit);
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
    asked: string | undefined,
    tenant: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly RuleStatus[]> => {
    const { rules } = (await tenantViews(tenants)(tenant)) ?? UNREADABLE_TENANT;
    const at = rules.findIndex(({ ruleId }) => ruleId === after);
    // After a rule of a server, or one that is gone, no rule of the tenant follows.
    const left = after !== undefined && at === -1 ? [] : rules.slice(at + 1, at + 1 + limit);
    const bound = left.length === 0 ? undefined : await genericOf(asked, tenant);
    const shown = left.map((rule) => statusOf(tenant, null, rule, bound?.get(rule.ruleId)));
    if (shown.length === limit) return shown;
    const chosen = await ownOf(asked, tenant, at === -1 ? after : undefined, limit - shown.length);
    const ofServers = await mapInBatches(chosen, AT_ONCE, async ({ ruleId, id, states }) => {
      const stored = await store.load(id);
      if (stored === undefined || stored.version > SERVER_VERSION) return [];
      const rule = findRule(ruleId, (contextIn(stored) as ServerContext).rules);
      return rule === undefined ? [] : [statusOf(tenant, addressOf(id).name, rule, states)];
    });
    return [...shown, ...ofServers.flat()];
  };

  return async ({ tenant, after, limit }: RulesQuery): Promise<RulesPage> => {
    const rules: RuleStatus[] = [];
    for await (const one of tenantsFrom(after?.tenant, tenant)) {
      const last = after?.tenant === one ? after.ruleId : undefined;
      rules.push(...(await rulesOf(tenant, one, last, limit + 1 - rules.length)));
      if (rules.length > limit) break;
    }
    const page = rules.slice(0, limit);
    const last = page.at(-1);
    const next = rules.length > limit && last !== undefined;
    return { rules: page, next: next ? { tenant: last.tenantId, ruleId: last.ruleId } : undefined };
  };
}

function statusOf(
  tenantId: string,
  serverId: string | null,
  rule: Rule,
  states: States | undefined,
): RuleStatus {
  const { ruleId, name, labels = {} } = rule;
  return { tenantId, serverId, ruleId, name, labels, states: states ?? nowhere() };
}

function nowhere(): States {
  return Object.fromEntries(STATE_NAMES.map((state) => [state, 0])) as States;
}
