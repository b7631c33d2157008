import type { Actors } from '../actors/kind.js';
import { actorId, addressOf, type Store } from '../store/port.js';
import {
  deliveryAddress,
  type DeliveryEvent,
  type DispatchEvent,
  type Renewed,
  type RenewEvent,
} from './delivery.js';
import { mayBePending } from './order.js';
import { type AcquireEntry, createDispatcher, type Dispatcher } from './queue/dispatcher.js';
import { queueOf } from './queue/permits.js';

/** Maximum number of attempts under way on one node. */
const PERMITS = { perReceiver: 16, perTenant: 256, inAll: 2_048 };

export type { AcquireEntry };

/** Takes messages for delivery. */
export type Deliveries = ReturnType<typeof createDeliveries>;

/** Returns the deliveries of a node. A message whose receiver has no free permit waits in its queue. */
export function createDeliveries(options: {
  readonly actors: () => Actors;
  readonly store: Pick<Store, 'load'>;
  readonly dispatcher: Pick<Dispatcher, 'begin'>;
}) {
  const { actors, store, dispatcher } = options;
  /** Nearly all messages are made when the one before was delivered long ago: those begin without another commit. */
  const ordered = async (event: DispatchEvent, after: string): Promise<DispatchEvent> => {
    if (await mayBePending(actors(), store, event.about.tenant, after)) return event;
    return { ...event, after: undefined };
  };
  return {
    /**
     * Dispatches a message to the delivery of the id `name`; resolves when that is durable. The same id again changes nothing.
     * A message with `after` is dispatched once that one is durable, and is not tried before that one is over. A message without an
     * attempt at once first acquires a permit to wait. Throws what `Actors.ask` and `acquireEntry` throw.
     */
    async dispatch(name: string, event: DispatchEvent, acquireEntry?: AcquireEntry): Promise<void> {
      const { tenant } = event.about;
      const address = deliveryAddress(tenant, name);
      const sent = event.after === undefined ? event : await ordered(event, event.after);
      const ask = (sent: DispatchEvent): Promise<void> => actors().ask(address, sent);
      if (sent.overdue === true || sent.after !== undefined) {
        const releaseEntry = await acquireEntry?.();
        return ask(sent).finally(releaseEntry);
      }
      const place = { id: actorId(address), queue: queueOf(tenant, event.message) };
      await dispatcher.begin(
        place,
        (until) => ask(until === undefined ? sent : { ...sent, until }),
        acquireEntry,
      );
    },
    /** Replaces the message of the delivery of the id `name`, or makes it. Resolves when that is durable. */
    renew(name: string, event: RenewEvent): Promise<Renewed> {
      const { tenant } = event.about;
      const address = deliveryAddress(tenant, name);
      const place = { id: actorId(address), queue: queueOf(tenant, event.message) };
      return dispatcher.begin(place, (until) => {
        const renewal: RenewEvent = { ...event, until };
        return actors().ask<Renewed>(address, renewal);
      });
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
  const permit = (id: string): Promise<unknown> => {
    const event: DeliveryEvent = { type: 'acquired', now: clock.now() };
    return actors().ask(addressOf(id), event);
  };
  return createDispatcher({ store, clock, limits: PERMITS, permit, onError });
}
