import type { Actors } from '../../actors/kind.js';
import type { Facts } from '../facts/facts.js';
import { type Rule, type RuleChange, type RuleDraft, ruleIn } from '../rules/rule.js';
import type { TenantLimit } from '../tenant/tenant-limits.js';
import type { Tenants } from '../tenant/tenants.js';
import { isKnown } from './broker-intents.js';
import type { Address } from '../../store/port.js';
import type { EraseEffect, FactsReply, ServerContext, ServerEvent, TenantCopy } from './server-context.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { unknownServer } from './server-decisions.js';
import { serverAddress } from './server-kind.js';
import { askWithTenant } from './tenant-copy.js';

/** A reply, and the copy of the tenant on which the server decided. */
export interface Decided<R> {
  readonly reply: R;
  readonly tenant: TenantView;
}

/** Operations 1 and 10 to 14: the facts and the rules of one server. */
export type Servers = ReturnType<typeof createServers>;

/** The events that create a server if it is unknown. */
const CREATING: ReadonlySet<ServerEvent['type']> = new Set(['facts', 'addRules', 'intend', 'subscribe']);

/** Makes the operations on servers. */
export function createServers(options: {
  readonly actors: Actors;
  readonly tenants: Tenants;
  /** Deletes what other actors have of a deleted server. */
  readonly erase: (server: Address, entry: EraseEffect) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  /** undefined: a tenant may have any number of servers. */
  readonly limit: TenantLimit | undefined;
}) {
  const { actors, tenants, erase, now, newId, limit } = options;
  /** Returns the context of a server with all that any node committed before the call; undefined if it was never committed. */
  const read = (tenantId: string, serverId: string): Promise<ServerContext | undefined> =>
    actors.readCommitted<ServerContext>(serverAddress(tenantId, serverId));
  /** As `read`, but rejects with `Refusal('not-found')` for a server that never had a rule, a subscription or a fact. */
  const readKnown = async (tenantId: string, serverId: string): Promise<ServerContext> => {
    const server = await read(tenantId, serverId);
    if (server === undefined || !isKnown(server)) throw unknownServer(serverId);
    return server;
  };
  const ask = <R>(tenantId: string, serverId: string, event: ServerEvent): Promise<R> => {
    const address = serverAddress(tenantId, serverId);
    if (limit === undefined || !CREATING.has(event.type) || actors.peek(address) !== undefined)
      return actors.ask(address, event);
    const isNew = async (): Promise<boolean> => (await actors.read(address)) === undefined;
    return limit.within(tenantId, serverId, isNew, () => actors.ask<R>(address, event));
  };

  /** Sends an event with a copy of the tenant: `newest` if the caller has read it from the store. */
  const askWithCopy = <R>(
    tenantId: string,
    serverId: string,
    eventOf: (copy: TenantCopy) => ServerEvent,
    newest?: TenantView,
  ): Promise<Decided<R>> =>
    askWithTenant(
      { view: (id) => newest ?? tenants.view(id), committed: tenants.committed },
      tenantId,
      async (copy) => ({ reply: await ask<R>(tenantId, serverId, eventOf(copy)), tenant: copy.tenant }),
    );

  return {
    read,
    readKnown,
    ask,
    askWithTenant: askWithCopy,
    /** Operation 1. The tenant must be known. `trace`: the span of the request. */
    facts: (
      tenantId: string,
      serverId: string,
      { measures, times, groups, source, origin }: Facts,
      trace?: string,
    ) =>
      askWithTenant(tenants, tenantId, ({ tenant, restored }) =>
        ask<FactsReply>(tenantId, serverId, {
          type: 'facts',
          now: now(),
          measures,
          times,
          groups,
          source,
          origin,
          tenant,
          restored,
          room: actors.roomOf(tenantId),
          trace,
        }),
      ),
    /** Operation 10. Rejects as `readKnown`. */
    async rules(tenantId: string, serverId: string): Promise<readonly Rule[]> {
      return (await readKnown(tenantId, serverId)).rules;
    },
    /** Operation 11: adds all rules or none. Returns the new ids in order. */
    async addRules(tenantId: string, serverId: string, drafts: readonly RuleDraft[]) {
      const rules = drafts.map((draft) => ({ ...draft, ruleId: newId() }));
      await ask(tenantId, serverId, { type: 'addRules', now: now(), rules });
      return rules.map((rule) => rule.ruleId);
    },
    /** Operation 12. Returns the changed rule. */
    async changeRule(tenantId: string, serverId: string, ruleId: string, change: RuleChange) {
      const { reply } = await askWithCopy<RuleDraft>(tenantId, serverId, (copy) => ({
        type: 'changeRule',
        now: now(),
        ruleId,
        change,
        ...copy,
      }));
      return reply;
    },
    /**
     * Deletes a server. Resolves once the deletion is durable, and the first try to delete what other actors have of the server
     * is over: the outbox of the server repeats it. Rejects with `Refusal('not-found')` for an unknown server.
     */
    async remove(tenantId: string, serverId: string): Promise<void> {
      // The machine does not distinguish a server that was never committed from a known one.
      await readKnown(tenantId, serverId);
      const address = serverAddress(tenantId, serverId);
      const entry = await ask<EraseEffect>(tenantId, serverId, { type: 'delete', now: now() });
      await erase(address, entry).catch(() => undefined);
    },
    /** Operation 13. Ends the subscriptions of the rule. */
    removeRule: (tenantId: string, serverId: string, ruleId: string) =>
      ask<void>(tenantId, serverId, { type: 'removeRule', now: now(), ruleId }),
    /** Operation 14. */
    async rule(tenantId: string, serverId: string, ruleId: string): Promise<Rule> {
      return ruleIn(ruleId, (await read(tenantId, serverId))?.rules ?? []);
    },
  };
}
