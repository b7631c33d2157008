import type { Actors } from '../../actors/kind.js';
import { batcher } from '../../system/batcher.js';
import { entityIndexAddress } from '../addresses.js';
import { addOnce, type Lists, entityIndexList } from './lists.js';
import type { Addition, Unchecked } from './paged-list.js';
import type { EntityIndexEvent, UncheckedAdditions } from './entity-index-machine.js';

export interface EntityIndexesOptions {
  readonly lists: Pick<Lists, 'find'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Adds entities to entity indexes. */
export interface EntityIndexes {
  /**
   * Adds an entity to an entity index, once; resolves when that is durable. `from`: the count of the entity index from before the
   * entity was first added.
   */
  add(actors: Actors, name: string, entityId: string, from: number): Promise<unknown>;
}

/** Maximum number of additions in one event. */
const MAX_ADDITIONS = 500;

/**
 * Returns the entity indexes of a node. Additions that come in the same turn of the event loop are one event: each change of a
 * index copies its newest entities.
 */
export function createEntityIndexes({ lists, now }: EntityIndexesOptions): EntityIndexes {
  const batch = batcher<{ readonly actors: Actors; readonly addition: Addition }, UncheckedAdditions>({
    // Not later: a caller that has its receipt must find the entity in the entity index.
    schedule: queueMicrotask,
    maxSize: MAX_ADDITIONS,
    process(name, items) {
      const additions = items.map(({ addition }) => addition);
      const event: EntityIndexEvent = { type: 'add', now: now(), additions };
      return items[0]!.actors.ask(entityIndexAddress(name), event);
    },
  });

  return {
    add(actors, name, entityId, from) {
      const list = entityIndexList(name);
      const add = async (checked: number): Promise<Unchecked | undefined> => {
        const { index, result } = batch(name, { actors, addition: { item: entityId, from, checked } });
        return (await result)?.[index];
      };
      return addOnce(lists, actors, { list, item: entityId, from, add, found: async () => undefined });
    },
  };
}
