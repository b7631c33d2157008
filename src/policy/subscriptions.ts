import { BrokerUnavailable } from '../broker/port.js';
import type { Granted } from '../broker/port.js';
import { Refusal } from '../errors.js';
import { brokerSubscription } from './broker-use.js';
import type { BrokerUse } from './broker-use.js';
import { findRule, unknownSubscription } from './lookup.js';
import type { ServerEvent, Subscription } from './server-context.js';
import type { Servers } from './servers.js';
import type { Tenants } from './tenants.js';

/** Operations 15 to 17. */
export interface Subscriptions {
  /** Operation 15; the id of the subscription that binds the rule to the url, a new one or the one there is. */
  add(tenantId: string, serverId: string, wanted: { ruleId: string; url: string }): Promise<string>;
  /** Operation 16. */
  remove(tenantId: string, serverId: string, subscriptionId: string): Promise<void>;
  /** Operation 17. */
  get(tenantId: string, serverId: string, subscriptionId: string): Promise<Subscription>;
}

interface SubscriptionsOptions {
  readonly servers: Servers;
  readonly tenants: Tenants;
  readonly broker: BrokerUse | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Makes the operations on subscriptions. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { servers, tenants, broker, now, newId } = options;
  /** Requests under way for the same rule and url: the later ones get what the first gets. */
  const underWay = new Map<string, Promise<string>>();

  const bind = async (
    tenantId: string,
    serverId: string,
    subscription: Subscription,
  ): Promise<Subscription> =>
    servers.tell(tenantId, serverId, {
      type: 'subscribe',
      now: now(),
      subscription,
      tenant: await tenants.view(tenantId),
    });

  const addFed = async (
    use: BrokerUse,
    tenantId: string,
    serverId: string,
    wanted: { ruleId: string; url: string },
  ): Promise<string> => {
    const known = await servers.read(tenantId, serverId);
    const { rules } = await tenants.view(tenantId);
    const same = known?.subscriptions.find((one) => one.ruleId === wanted.ruleId && one.url === wanted.url);
    if (findRule(wanted.ruleId, known?.rules ?? [], rules) === undefined) {
      throw new Refusal(
        'not-found',
        `ruleId: neither this server nor its tenant has a rule ${wanted.ruleId}`,
      );
    }
    if (same?.suspended !== undefined) return (await bind(tenantId, serverId, same)).id;
    if (same !== undefined) return same.id;
    const broker = await grant(use, tenantId, serverId);
    const discard: ServerEvent = { type: 'discard', now: now(), brokerId: broker.id };
    try {
      const bound = await bind(tenantId, serverId, { ...wanted, id: broker.id, broker });
      if (bound.id !== broker.id) await servers.tell(tenantId, serverId, discard);
      return bound.id;
    } catch (error) {
      if (error instanceof Refusal) await servers.tell(tenantId, serverId, discard);
      throw error;
    }
  };

  const get = async (tenantId: string, serverId: string, subscriptionId: string): Promise<Subscription> => {
    const server = await servers.read(tenantId, serverId);
    const subscription = server?.subscriptions.find((one) => one.id === subscriptionId);
    const { rules } = await tenants.view(tenantId);
    if (subscription === undefined || findRule(subscription.ruleId, server!.rules, rules) === undefined) {
      throw unknownSubscription(subscriptionId);
    }
    return subscription;
  };

  return {
    get,
    async add(tenantId, serverId, wanted) {
      if (broker === undefined) return (await bind(tenantId, serverId, { ...wanted, id: newId() })).id;
      const key = JSON.stringify([tenantId, serverId, wanted.ruleId, wanted.url]);
      const other = underWay.get(key);
      if (other !== undefined) return other;
      const mine = addFed(broker, tenantId, serverId, wanted).finally(() => underWay.delete(key));
      underWay.set(key, mine);
      return mine;
    },
    async remove(tenantId, serverId, subscriptionId) {
      // One whose generic rule is gone has ended, even where its server has not been told yet.
      await get(tenantId, serverId, subscriptionId);
      await servers.tell(tenantId, serverId, { type: 'unsubscribe', now: now(), subscriptionId });
    },
  };
}

/** A subscription at the broker. Its being down, and its saying no, are both the service's own unavailability. */
async function grant(use: BrokerUse, tenantId: string, serverId: string): Promise<Granted> {
  try {
    return await use.port.subscribe(brokerSubscription(use, tenantId, serverId));
  } catch (error) {
    const what = error instanceof BrokerUnavailable ? 'cannot be reached' : 'refused the subscription';
    const detail = error instanceof Error ? error.message : '';
    throw new Refusal('unavailable', `the context broker ${what} (${detail}); nothing was done`, {
      retryAfterS: 5,
      cause: error,
    });
  }
}
