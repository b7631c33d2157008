import type { Actors } from '../../../src/actors/runtime.js';
import { createDeliveries } from '../../../src/delivery/deliveries.js';
import type { Deliveries } from '../../../src/delivery/deliveries.js';
import type { Dispatcher } from '../../../src/delivery/queue/dispatcher.js';

/** A dispatcher that always has a free slot and takes nothing from the store. */
export const FREE_SLOTS: Dispatcher = {
  start: () => undefined,
  reserve: () => true,
  release: () => undefined,
  claim: () => () => undefined,
  expect: () => undefined,
  ended: () => undefined,
  close: async () => undefined,
};

/** Deliveries that never wait for a slot. */
export function freeDeliveries(actors: () => Actors): Deliveries {
  return createDeliveries(actors, FREE_SLOTS, { now: Date.now });
}
