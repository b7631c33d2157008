import type { Actors } from '../../actors/runtime.js';
import type { Address } from '../../store/port.js';
import type { EndpointEvent } from './endpoint-machine.js';
import { isOfSubscription } from '../machine.js';
import type { DeliveryContext, DeliveryEvent } from '../machine.js';
import { endpointOf } from '../reporting.js';

/** What can be done with a dead letter: it is sent again, or deleted. */
export type DeadLetterEvent = Extract<DeliveryEvent, { readonly type: 'redeliver' | 'discard' }>;

/** What came of it; `alive` where the delivery is no dead letter, `unknown` where there is none. */
export type DeadLetterOutcome = 'done' | 'alive' | 'unknown';

/**
 * Sends a dead letter again, or deletes it; resolves when that is durable. The endpoint of its subscription is told
 * after the delivery, and before the next attempt can have an answer: what fails again is a dead letter once more.
 */
export async function tellDeadLetter(
  actors: Actors,
  delivery: Address,
  event: DeadLetterEvent,
): Promise<DeadLetterOutcome> {
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
