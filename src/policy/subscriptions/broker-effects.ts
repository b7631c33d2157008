import type { EffectRun } from '../../actors/kind.js';
import { BrokerRefused } from '../../broker/port.js';
import { markOf } from '../../broker/subscription-id.js';
import type { Store } from '../../store/port.js';
import { brokerSubscription } from './broker-use.js';
import type { BrokerUse } from './broker-use.js';
import type {
  IntendEffect,
  RenewEffect,
  RetractEffect,
  ServerContext,
  ServerEvent,
  UnsubscribeEffect,
} from '../server/server-context.js';

/** After what time an intent that another node committed is taken for left over, ms: requests do not last as long. */
const FOLLOWED_MS = 15_000;

/** What a server has done at the broker. */
export function brokerEffects({
  store,
  broker,
  now,
}: {
  readonly store: Store;
  readonly broker: BrokerUse | undefined;
  readonly now: () => number;
}) {
  return {
    async intend({ mark, at }: IntendEffect): Promise<ServerEvent> {
      // Where other nodes are, the one that follows it may still be at it.
      const followed = requireBroker(broker).followed.has(mark) || (store.shared && now() - at < FOLLOWED_MS);
      return { type: followed ? 'followed' : 'settle', now: now(), mark };
    },

    async retract(
      { mark }: RetractEffect,
      _context: ServerContext,
      { address }: EffectRun,
    ): Promise<ServerEvent> {
      const use = requireBroker(broker);
      const wanted = brokerSubscription(use, address.tenant, address.name);
      const brokerIds = await orNone(use.port.retract(mark, wanted));
      return { type: 'retracted', now: now(), mark, brokerIds: brokerIds ?? [] };
    },

    async unsubscribe({ id, brokerId }: UnsubscribeEffect): Promise<ServerEvent> {
      await orNone(requireBroker(broker).port.unsubscribe(brokerId));
      return { type: 'performed', now: now(), entryId: id };
    },

    async renew(
      { id: entryId, subscriptionId, brokerId }: RenewEffect,
      _context: ServerContext,
      { address, repeated }: EffectRun,
    ): Promise<ServerEvent> {
      const use = requireBroker(broker);
      const { port } = use;
      const wanted = brokerSubscription(use, address.tenant, address.name);
      let granted = await port.renew(brokerId, wanted);
      if (granted === undefined) {
        // The same at every attempt: what one of them made that nobody noted is ended by the next.
        const mark = markOf(`${entryId}/${brokerId}`);
        if (repeated) await port.retract(mark, wanted);
        granted = await port.subscribe(wanted, mark);
      }
      return { type: 'renewed', now: now(), entryId, subscriptionId, broker: granted };
    },
  };
}

/** A broker that says no now will say it again: what it keeps ends there by itself. */
async function orNone<T>(ended: Promise<T>): Promise<T | undefined> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof BrokerRefused) return undefined;
    throw error;
  }
}

/** A subscription that a broker feeds outlives a setting that no longer names the broker: its end waits for one. */
function requireBroker(broker: BrokerUse | undefined): BrokerUse {
  if (broker === undefined)
    throw new Error(
      'BROKER_URL is not set any more, yet a subscription at the broker must end or be renewed',
    );
  return broker;
}
