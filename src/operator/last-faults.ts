import type { ActorFault } from '../actors/runtime.js';
import { lruCache } from '../system/lru-cache.js';
import type { ActorFaultView } from './shapes.js';
import { isoOf } from '../system/iso.js';

/** Actors whose last fault is kept. */
const KEPT = 1_000;

/** Keeps the last fault of the actors of this node that failed last. `now` is in ms since the epoch. */
export function createLastFaults(now: () => number) {
  const faults = lruCache<ActorFaultView>(KEPT);
  return {
    add({ id, what, type, error }: ActorFault): void {
      if (id === undefined) return;
      const message = error instanceof Error ? error.message : String(error);
      faults.set(id, { what, type: type ?? null, message, at: isoOf(now()) });
    },
    /** Returns the last fault of an actor by its id; undefined: none is known. */
    of: (id: string): ActorFaultView | undefined => faults.get(id),
  };
}
