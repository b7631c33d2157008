import type { Actors } from '../../../src/actors/kind.js';
import { createDeliveries, type Deliveries } from '../../../src/delivery/deliveries.js';
import type { Store } from '../../../src/store/port.js';
import type { Dispatcher } from '../../../src/delivery/queue/dispatcher.js';

/** A dispatcher that always has a free permit and takes nothing from the store. */
export const FREE_PERMITS: Dispatcher = {
  start: () => undefined,
  begin: (_place, ask) => ask(undefined),
  claim: () => () => undefined,
  expect: () => undefined,
  ended: () => undefined,
  close: async () => undefined,
};

/** Deliveries that never wait for a permit. */
export function freeDeliveries(
  actors: () => Actors,
  store: Pick<Store, 'load'> = { load: async () => undefined },
): Deliveries {
  return createDeliveries({ actors, store, dispatcher: FREE_PERMITS });
}
