import type { Actors } from '../actors/kind.js';
import { actorId, type Store } from '../store/port.js';
import { deliveryAddress, type DeliveryContext, PENDING_STATES } from './delivery.js';

type Redelivered = Pick<DeliveryContext, 'redelivered'>;

/** The states of a delivery that is not over. */
const PENDING: ReadonlySet<string> = new Set([...PENDING_STATES, 'dropped']);

/**
 * True if the messages after a delivery in a state have to wait for it. A dead letter that is sent again stands outside the
 * order.
 */
export function isPending(state: string, { redelivered }: Redelivered): boolean {
  return PENDING.has(state) && redelivered !== true;
}

/**
 * Resolves with false if a message is over: it stays so. One that does not exist is over, too: it was dispatched before any
 * message after it, and has been deleted since.
 */
export async function mayBePending(
  actors: Pick<Actors, 'peek'>,
  store: Pick<Store, 'load'>,
  tenant: string,
  id: string,
): Promise<boolean> {
  const address = deliveryAddress(tenant, id);
  const view = actors.peek<DeliveryContext>(address);
  if (view !== undefined) return isPending(view.state, view.context);
  // Not by its actor: one of a message of long ago would take the place of a busy one in memory.
  const stored = await store.load(actorId(address));
  return stored !== undefined && isPending(stored.state, JSON.parse(stored.frequent) as Redelivered);
}
