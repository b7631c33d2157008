import { deliveryAddress, shownState } from '../../delivery/delivery.js';
import { actorId, type Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import { type Rule, ruleIn } from '../rules/rule.js';
import { erasing } from '../server/erasing.js';
import type { ServerContext } from '../server/server-context.js';
import type { Servers } from '../server/servers.js';
import { subscribedRulesOf } from '../server/subscribed-rules.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { Tenants } from '../tenant/tenants.js';
import type { Transition } from '../state/subscription-state.js';
import { chosenRules } from './chosen-rules.js';
import {
  type Bound,
  boundTo,
  deliveriesOf,
  explainedAt,
  explainRule,
  explainSubscription,
} from './explanation.js';
import { keptIn, newestParts } from './history-machine.js';
import { waitingIn } from './record-effect.js';
import type { Explanation } from './shapes.js';

/** Documents of deliveries that are read at once, and subscriptions that are explained in one turn of the event loop. */
const AT_ONCE = 64;

/**
 * Makes the explanations on a runtime: why rules fire or do not fire. Reading changes nothing. An explanation is never older
 * than an answer of any node.
 */
export function createExplain(
  servers: Pick<Servers, 'readKnown'>,
  tenants: Pick<Tenants, 'committed'>,
  store: Pick<Store, 'load'>,
  now: () => number,
) {
  /** `max`: number of subscriptions of each rule. */
  const explained = async (
    server: ServerContext,
    tenant: TenantView,
    rules: readonly Rule[],
    max = Infinity,
  ): Promise<readonly Explanation[]> => {
    const chosen = rules.map((rule) => ({ rule, bound: boundTo(server, rule).slice(0, max) }));
    const ids = chosen.flatMap(({ bound }) => deliveriesOf(server, bound));
    const found = await mapInBatches(ids, AT_ONCE, async (id) => {
      const stored = await store.load(actorId(deliveryAddress(server.address.tenant, id)));
      return [id, stored && shownState(stored.state)] as const;
    });
    const standings = new Map(
      found.flatMap(([id, standing]) => (standing === undefined ? [] : [[id, standing]])),
    );
    const at = explainedAt(server, tenant, standings, now());
    const explanations: Explanation[] = [];
    for (const { rule, bound } of chosen) {
      // Sentences of 32 comparisons are long: other work gets turns of the event loop in between.
      const explain = async (one: Bound) => explainSubscription(at, rule, one);
      explanations.push(explainRule(at, rule, await mapInBatches(bound, AT_ONCE, explain)));
    }
    return explanations;
  };

  return {
    /** Explains a rule of the server or of its tenant. Rejects with `Refusal('not-found')` for an unknown server or rule. */
    async rule(tenantId: string, serverId: string, ruleId: string): Promise<Explanation> {
      const server = await servers.readKnown(tenantId, serverId);
      const tenant = await tenants.committed(tenantId);
      const rule = ruleIn(ruleId, server.rules, tenant.rules);
      const [explanation] = await explained(server, tenant, [rule]);
      return explanation!;
    },

    /**
     * Explains the rules of the server, then the generic rules with a subscription of the server. Of too many, those that
     * fire are explained before the others, see `chosenRules`. Each has its first subscriptions. `rules` of the answer is
     * their number, with those that are not explained. Rejects with
     * `Refusal('not-found')` for an unknown server.
     */
    async server(
      tenantId: string,
      serverId: string,
      bounds: { readonly rules: number; readonly subscriptions: number },
    ) {
      const server = await servers.readKnown(tenantId, serverId);
      const tenant = await tenants.committed(tenantId);
      const subscribed = subscribedRulesOf(server, tenant);
      const rules = [...new Set([...server.rules, ...subscribed.all.map(({ rule }) => rule)])];
      const chosen = chosenRules(rules, server, subscribed, bounds.rules);
      const explanations = await explained(server, tenant, chosen, bounds.subscriptions);
      return { explanations, rules: rules.length };
    },

    /** Returns the newest transitions, newest first. Rejects with `Refusal('not-found')` for an unknown server. */
    async history(tenantId: string, serverId: string, limit: number): Promise<readonly Transition[]> {
      // The server first: what leaves its outbox meanwhile is then in the history.
      const server = await servers.readKnown(tenantId, serverId);
      const { recorded = 0 } = server;
      const parts = await Promise.all(
        newestParts(tenantId, serverId, recorded, limit).map((address) => store.load(actorId(address))),
      );
      const kept = parts.flatMap((stored) => (stored === undefined ? [] : [keptIn(stored)]));
      const byNumber = new Map<number, Transition>();
      for (const { first, transitions } of [...kept, ...waitingIn(server)])
        for (const [i, transition] of transitions.entries()) byNumber.set(first + i, transition);
      const oldest = erasing(server)?.recorded ?? 0;
      // A part that was replaced meanwhile has newer ones, and one of a deleted server older ones.
      const numbers = [...byNumber.keys()].filter((number) => number > oldest && number <= recorded);
      const newest = numbers.toSorted((a, b) => b - a).slice(0, limit);
      return newest.map((number) => byNumber.get(number)!);
    },
  };
}
