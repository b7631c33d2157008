import type { Actors } from '../actors/runtime.js';
import { actorId, addressOf } from '../store/port.js';
import type { Store } from '../store/port.js';
import { deliveryAddress } from './delivery.js';
import type { DeliveryEvent, SendEvent } from './delivery.js';
import { createDispatcher } from './queue/dispatcher.js';
import type { Dispatcher } from './queue/dispatcher.js';
import { queueOf } from './queue/slots.js';

/** Most attempts in flight on one node. */
const SLOTS = { perReceiver: 16, perTenant: 256, inAll: 2_048 };

/** Takes messages for delivery. */
export interface Deliveries {
  /**
   * Hands a message over to the delivery of that id; resolves when that is durable. The same id again changes nothing.
   * Throws what `Actors.ask` throws.
   */
  handOver(id: string, event: SendEvent): Promise<void>;
}

/** Returns the deliveries of a node. A message whose receiver has no free slot waits in its queue. */
export function createDeliveries(
  actors: () => Actors,
  dispatcher: Dispatcher,
  clock: { now(): number },
): Deliveries {
  return {
    async handOver(name, event) {
      const { tenant } = event.about;
      const address = deliveryAddress(tenant, name);
      if (event.overdue === true) return actors().ask(address, event);
      const id = actorId(address);
      const queue = queueOf(tenant, event.message);
      if (dispatcher.reserve(id, queue)) {
        await actors()
          .ask<void>(address, event)
          .finally(() => dispatcher.release(id));
      } else {
        const until = clock.now();
        const waiting: SendEvent = { ...event, until };
        await actors().ask(address, waiting);
        dispatcher.expect(queue, until);
      }
    },
  };
}

/** Returns the dispatcher for the deliveries of a node. `onError` is called once when the store begins to fail. */
export function deliveryDispatcher(
  actors: () => Actors,
  store: Store,
  clock: { now(): number; random(): number },
  onError: (error: unknown) => void,
): Dispatcher {
  const grant = (id: string): Promise<unknown> => {
    const event: DeliveryEvent = { type: 'granted', now: clock.now() };
    return actors().ask(addressOf(id), event);
  };
  return createDispatcher({ store, clock, limits: SLOTS, grant, onError });
}
