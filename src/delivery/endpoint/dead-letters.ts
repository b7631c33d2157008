import type { Actors } from '../../actors/kind.js';
import type { Address } from '../../store/port.js';
import { type DeliveryContext, type DeliveryEvent, isOfSubscription } from '../delivery.js';
import { type EndpointEvent, endpointOf } from './endpoint-machine.js';

/** Why a dead letter was deleted: it reached its age, its subscription had too many, or an operator discarded it. */
export type EndOfDeadLetter = 'age' | 'limit' | 'discarded';

/** An operator's change of a dead letter: it is sent again, or deleted. */
export type DeadLetterEvent = Extract<DeliveryEvent, { readonly type: 'redeliver' | 'discard' }>;

/**
 * Sends a dead letter again, or deletes it; resolves when that is durable. The endpoint hears of it after the delivery
 * and before the next attempt can have an answer: a delivery that fails again is a dead letter again. `alive`: the delivery
 * is not a dead letter; `unknown`: it does not exist.
 */
export async function changeDeadLetter(
  actors: Actors,
  delivery: Address,
  event: DeadLetterEvent,
): Promise<'done' | 'alive' | 'unknown'> {
  const view = await actors.read<DeliveryContext>(delivery);
  if (view === undefined) return 'unknown';
  if ((await actors.ask<true | undefined>(delivery, event)) !== true) return 'alive';
  const { about } = view.context;
  if (isOfSubscription(about)) {
    const forget: EndpointEvent = { type: 'forget', now: event.now, deliveryId: delivery.name };
    await actors.ask(endpointOf(about), forget);
  }
  return 'done';
}
