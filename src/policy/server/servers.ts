import type { Actors } from '../../actors/kind.js';
import type { Address } from '../../store/port.js';
import type { Facts } from '../facts/facts.js';
import { findRule, type Rule, type RuleChange, type RuleDraft, unknownRule } from '../rules/rule.js';
import type { Tenants } from '../tenant/tenants.js';
import { isKnown } from './broker-intents.js';
import type { FactsReply, ServerContext, ServerEvent, TenantCopy } from './server-context.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { unknownServer } from './server-decisions.js';
import { SERVER } from './server-kind.js';
import { askWithTenant, type TenantCopies } from './tenant-copy.js';

/** Operations 1 and 10 to 14: the facts and the rules of one server. */
export interface Servers {
  /** Operation 1. The tenant must be known. */
  facts(tenantId: string, serverId: string, facts: Facts): Promise<FactsReply>;
  /** Operation 10. Rejects with `Refusal('not-found')` for a server that never had a rule, a subscription or a fact. */
  rules(tenantId: string, serverId: string): Promise<readonly Rule[]>;
  /** Operation 11: adds all rules or none. Returns the new ids in order. */
  addRules(tenantId: string, serverId: string, drafts: readonly RuleDraft[]): Promise<readonly string[]>;
  /** Operation 12. Returns the changed rule. */
  changeRule(tenantId: string, serverId: string, ruleId: string, change: RuleChange): Promise<RuleDraft>;
  /** Operation 13. Ends the subscriptions of the rule. */
  removeRule(tenantId: string, serverId: string, ruleId: string): Promise<void>;
  /** Operation 14. */
  rule(tenantId: string, serverId: string, ruleId: string): Promise<Rule>;
  ask<R>(tenantId: string, serverId: string, event: ServerEvent): Promise<R>;
  /**
   * Sends an event with a copy of the tenant: `newest` if the caller has read it from the store.
   */
  askWithTenant<R>(
    tenantId: string,
    serverId: string,
    eventOf: (copy: TenantCopy) => ServerEvent,
    newest?: TenantView,
  ): Promise<Decided<R>>;
  /** Returns the context of a server; undefined if it was never committed. */
  read(tenantId: string, serverId: string): Promise<ServerContext | undefined>;
}

/** A reply, and the copy of the tenant on which the server decided. */
interface Decided<R> {
  readonly reply: R;
  readonly tenant: TenantView;
}

/** Makes the operations on servers. */
export function createServers(options: {
  readonly actors: Actors;
  readonly tenants: Tenants;
  readonly now: () => number;
  readonly newId: () => string;
}): Servers {
  const { actors, tenants, now, newId } = options;
  const addressOf = (tenant: string, name: string): Address => ({ kind: SERVER, tenant, name });
  const read = async (tenantId: string, serverId: string): Promise<ServerContext | undefined> =>
    (await actors.read<ServerContext>(addressOf(tenantId, serverId)))?.context;
  const ask = <R>(tenantId: string, serverId: string, event: ServerEvent): Promise<R> =>
    actors.ask(addressOf(tenantId, serverId), event);

  const askWithCopy: Servers['askWithTenant'] = (tenantId, serverId, eventOf, newest) => {
    const copies: TenantCopies = {
      view: (id) => newest ?? tenants.view(id),
      committed: (id) => tenants.committed(id),
    };
    return askWithTenant(copies, tenantId, async (copy) => ({
      reply: await ask(tenantId, serverId, eventOf(copy)),
      tenant: copy.tenant,
    }));
  };

  return {
    read,
    ask,
    askWithTenant: askWithCopy,
    facts: (tenantId, serverId, { measures, times, source }) =>
      askWithTenant(tenants, tenantId, ({ tenant, restored }) =>
        ask<FactsReply>(tenantId, serverId, {
          type: 'facts',
          now: now(),
          measures,
          times,
          source,
          tenant,
          restored,
          room: actors.roomOf(tenantId),
        }),
      ),
    async rules(tenantId, serverId) {
      const server = await read(tenantId, serverId);
      if (server === undefined || !isKnown(server)) throw unknownServer(serverId);
      return server.rules;
    },
    async addRules(tenantId, serverId, drafts) {
      const rules = drafts.map((draft) => ({ ...draft, ruleId: newId() }));
      await ask(tenantId, serverId, { type: 'addRules', now: now(), rules });
      return rules.map((rule) => rule.ruleId);
    },
    async changeRule(tenantId, serverId, ruleId, change) {
      const { reply } = await askWithCopy<RuleDraft>(tenantId, serverId, (copy) => ({
        type: 'changeRule',
        now: now(),
        ruleId,
        change,
        ...copy,
      }));
      return reply;
    },
    removeRule: (tenantId, serverId, ruleId) =>
      ask(tenantId, serverId, { type: 'removeRule', now: now(), ruleId }),
    async rule(tenantId, serverId, ruleId) {
      const rule = findRule(ruleId, (await read(tenantId, serverId))?.rules ?? []);
      if (rule === undefined) throw unknownRule(ruleId);
      return rule;
    },
  };
}
