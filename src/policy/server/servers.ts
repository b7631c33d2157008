import type { Actors } from '../../actors/runtime.js';
import type { Address } from '../../store/port.js';
import type { Facts } from '../facts/facts.js';
import { findRule, unknownRule } from '../rules/rule.js';
import type { Rule, RuleChange, RuleDraft } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { Tenants } from '../tenant/tenants.js';
import { isKnown } from './broker-intents.js';
import type { FactsReply, ServerContext, ServerEvent } from './server-context.js';
import { unknownServer } from './server-decisions.js';
import { SERVER } from './server-kind.js';

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
  /** Returns the context of a server; undefined if it was never committed. */
  read(tenantId: string, serverId: string): Promise<ServerContext | undefined>;
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

  return {
    read,
    ask,
    facts(tenantId, serverId, { measures, times, source }) {
      const take = (tenant: TenantView): Promise<FactsReply> =>
        ask(tenantId, serverId, {
          type: 'facts',
          now: now(),
          measures,
          times,
          source,
          tenant,
          room: actors.roomOf(tenantId),
        });
      const view = tenants.view(tenantId);
      return view instanceof Promise ? view.then(take) : take(view);
    },
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
      const tenant = await tenants.view(tenantId);
      return ask(tenantId, serverId, { type: 'changeRule', now: now(), ruleId, change, tenant });
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
