import type { EffectRun } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import { actorId } from '../store/port.js';
import type { Store } from '../store/port.js';
import { deliveryAddress } from './delivery.js';
import type { DeliveryContext, DeliveryEvent } from './delivery.js';

/**
 * Whether the messages behind a delivery have to wait for it. `over`: they do not; `before`: they wait for that delivery
 * instead, because this one ended without its turn.
 */
export type Progress = { readonly is: 'pending' } | Over;

interface Over {
  readonly is: 'over';
  readonly before?: string | undefined;
}

type Place = Pick<DeliveryContext, 'after' | 'redelivered'>;

/** The states of a delivery that is not over. */
const PENDING: ReadonlySet<string> = new Set(['blocked', 'waiting', 'sending']);

/** Returns the progress of a delivery in a state. A dead letter that is sent again stands outside the order. */
export function progressOf(state: string, { after, redelivered }: Place): Progress {
  if (PENDING.has(state) && redelivered !== true) return { is: 'pending' };
  return { is: 'over', ...(after === undefined ? {} : { before: after }) };
}

/**
 * Returns the delivery that a message made behind `after` has to wait for: that one, or the first pending one before it;
 * undefined if all are over. Reads only, and a delivery that is over stays so.
 */
export async function pendingBefore(
  actors: Pick<Actors, 'peek'>,
  store: Pick<Store, 'load'>,
  tenant: string,
  after: string,
): Promise<string | undefined> {
  let id: string | undefined = after;
  while (id !== undefined) {
    const progress = await readProgress(actors, store, tenant, id);
    if (progress.is === 'pending') return id;
    id = progress.before;
  }
  return undefined;
}

/** One that does not exist is over: it was handed over before any message behind it, and has been deleted since. */
async function readProgress(
  actors: Pick<Actors, 'peek'>,
  store: Pick<Store, 'load'>,
  tenant: string,
  id: string,
): Promise<Progress> {
  const address = deliveryAddress(tenant, id);
  const view = actors.peek<DeliveryContext>(address);
  if (view !== undefined) return progressOf(view.state, view.context);
  // Not by its actor: one of a message of long ago would take the place of a busy one in memory.
  const stored = await store.load(actorId(address));
  return stored === undefined ? { is: 'over' } : progressOf(stored.state, JSON.parse(stored.hot) as Place);
}

/**
 * Asks the delivery before a blocked one to release it at its end. Resolves with the id of the delivery that will;
 * undefined if all before it are over.
 */
export async function follow(
  { address, actors }: Pick<EffectRun, 'address' | 'actors'>,
  after: string | undefined,
  now: number,
): Promise<string | undefined> {
  let id = after;
  while (id !== undefined) {
    const event: DeliveryEvent = { type: 'follow', now, successor: address.name };
    const progress = await actors.ask<Progress>(deliveryAddress(address.tenant, id), event);
    if (progress.is === 'pending') return id;
    id = progress.before;
  }
  return undefined;
}
