import type { Actors, ActorView } from '../actors/kind.js';
import type { Address } from '../store/port.js';
import { type DeliveryContext, type EventOf, isOfSubscription } from './delivery.js';
import { type EndpointEvent, endpointOf } from './endpoint/endpoint-machine.js';

/** A person's change of a delivery: it is sent again, tried now, or deleted. */
export type DeliveryRequest = EventOf<'redeliver' | 'resend' | 'try' | 'discard'>;

/** `done` is false if the delivery refuses the change in its state. `before`: the delivery before the change. */
export interface ChangedDelivery {
  readonly done: boolean;
  readonly before: ActorView<DeliveryContext>;
}

/**
 * Changes a delivery; resolves when that is durable, with undefined for one that does not exist. The endpoint hears of it after
 * the delivery and before the next attempt can have an answer: a delivery that fails again is a dead letter again.
 */
export async function changeDelivery(
  actors: Actors,
  delivery: Address,
  event: DeliveryRequest,
): Promise<ChangedDelivery | undefined> {
  const before = await actors.read<DeliveryContext>(delivery);
  if (before === undefined) return undefined;
  if ((await actors.ask<true | undefined>(delivery, event)) !== true) return { done: false, before };
  const { about } = before.context;
  if (isOfSubscription(about) && event.type !== 'try') {
    const forget: EndpointEvent = { type: 'forget', now: event.now, deliveryId: delivery.name };
    await actors.ask(endpointOf(about), forget);
  }
  return { done: true, before };
}
