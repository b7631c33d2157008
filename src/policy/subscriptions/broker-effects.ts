import type { EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { BrokerRefused } from '../../broker/port.js';
import type { Store } from '../../store/port.js';
import type { IntendEffect, RetractEffect, ServerEvent, EffectOf } from '../server/server-context.js';
import { brokerSubscription, type BrokerUse } from './broker-use.js';

/** Time after which no request on another node follows an intent any more, ms. */
const REQUEST_MS = 15_000;

/** Makes the effects of a server at the broker. */
export function brokerEffects(
  store: Pick<Store, 'shared'>,
  broker: BrokerUse | undefined,
  now: () => number,
) {
  return {
    async intend({ mark, at }: IntendEffect): Promise<ServerEvent> {
      // With a shared store, a request on another node may follow the intent.
      const followed = requireBroker(broker).followed.has(mark) || (store.shared && now() - at < REQUEST_MS);
      return { type: followed ? 'followed' : 'settle', now: now(), mark };
    },

    async retract({ mark }: RetractEffect, _context: unknown, { address }: EffectRun): Promise<ServerEvent> {
      const use = requireBroker(broker);
      const wanted = brokerSubscription(use, address.tenant, address.name);
      const brokerIds = await unlessRefused(use.port.retract(mark, wanted));
      return { type: 'retracted', now: now(), mark, brokerIds: brokerIds ?? [] };
    },

    async unsubscribe(
      entry: EffectOf<'unsubscribe'>,
      _context: unknown,
      { address }: EffectRun,
    ): Promise<ServerEvent> {
      const { port, tenantOf } = requireBroker(broker);
      await unlessRefused(port.unsubscribe(entry.brokerId, tenantOf(address.tenant)));
      return performed(entry, now());
    },

    async renew(
      { id: entryId, subscriptionId, brokerId }: EffectOf<'renew'>,
      _context: unknown,
      { address, repeated }: EffectRun,
    ): Promise<ServerEvent> {
      const use = requireBroker(broker);
      const { port } = use;
      const wanted = brokerSubscription(use, address.tenant, address.name);
      let granted = await port.renew(brokerId, wanted);
      if (granted === undefined) {
        // The same mark at every attempt: an attempt ends what an earlier one created without recording it. In NGSI-LD
        // the mark is the id: the subscription has its old one again.
        if (repeated) await port.retract(brokerId, wanted);
        granted = await port.subscribe(wanted, brokerId);
      }
      const checkedAt = now();
      const lease = { ...granted, checkedAt };
      return { type: 'renewed', now: checkedAt, entryId, subscriptionId, broker: lease };
    },
  };
}

/** Returns undefined if the broker refuses: it would refuse again. The subscription there expires by itself. */
async function unlessRefused<T>(ended: Promise<T>): Promise<T | undefined> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof BrokerRefused) return undefined;
    throw error;
  }
}

/** Throws without a broker: the setting was removed while a server still has subscriptions there. The entry waits. */
function requireBroker(broker: BrokerUse | undefined): BrokerUse {
  if (broker === undefined)
    throw new Error(
      'BROKER_URL is not set any more, yet a subscription at the broker must end or be renewed',
    );
  return broker;
}
