import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { ActorContext, ActorEvent, ActorKind, Actors } from '../../actors/kind.js';
import { ENTITY_INDEX, entityIndexAddress } from '../addresses.js';
import { pageEffect, type PageEffect, pageEffects } from './page-machine.js';
import {
  addedAll,
  type Addition,
  EMPTY,
  ENTITY_INDEX_PAGE,
  type PagedList,
  type Unchecked,
} from './paged-list.js';
import { batcher } from '../../system/batcher.js';
import { addOnce, type Lists, entityIndexList } from './lists.js';

/** The entities with transactions, in the order of their first ones. */
export interface EntityIndexContext extends ActorContext, PagedList {
  readonly outbox: readonly PageEffect[];
}

/** The reply to `add`: undefined if the list holds all items; else one element for each, undefined if the list holds it. */
export type UncheckedAdditions = readonly (Unchecked | undefined)[] | undefined;

export type EntityIndexEvent = ActorEvent &
  (
    | { readonly type: 'add'; readonly additions: readonly Addition[] }
    | PerformedEvent
    | { readonly type: 'wake' }
  );

/** The machine of an entity index: of all entities, or of those of one tenant. */
const entityIndexMachine = setup({
  types: { context: {} as EntityIndexContext, events: {} as EntityIndexEvent },
}).createMachine({
  id: 'entityIndex',
  context: { ...EMPTY, outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'growing',
  states: {
    growing: {
      on: {
        add: { actions: decides(add) },
        performed: { actions: decides(removePerformed) },
      },
    },
  },
});

type Add = Extract<EntityIndexEvent, { type: 'add' }>;

function add(context: EntityIndexContext, { additions }: Add): Partial<EntityIndexContext> {
  const { list, pages, outcomes } = addedAll(context, additions, ENTITY_INDEX_PAGE);
  const unchecked = outcomes.map((outcome) => (typeof outcome === 'object' ? outcome : undefined));
  const reply: UncheckedAdditions = unchecked.every((one) => one === undefined) ? undefined : unchecked;
  if (list === context) return { reply };
  const { first, items } = list;
  return { reply, first, items, outbox: [...context.outbox, ...pages.map(pageEffect)] };
}

/** The kind of the entity indexes. */
export function entityIndexKind(now: () => number): ActorKind {
  return {
    name: ENTITY_INDEX,
    version: 1,
    machine: entityIndexMachine,
    effects: pageEffects(now),
  };
}

/** Maximum number of additions in one event. */
const MAX_ADDITIONS = 500;

/**
 * Returns a function that adds an entity to an entity index, once; it resolves when that is durable. `from`: the count of
 * the entity index from before the entity was first added. `now` is in ms since the epoch. Additions that come in the same turn of the event loop are one event: each change of a
 * index copies its newest entities.
 */
export function entityIndexer(lists: Pick<Lists, 'find'>, now: () => number) {
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

  return (actors: Actors, name: string, entityId: string, from: number) => {
    const list = entityIndexList(name);
    const add = async (checked: number): Promise<Unchecked | undefined> => {
      const { index, result } = batch(name, { actors, addition: { item: entityId, from, checked } });
      return (await result)?.[index];
    };
    return addOnce(lists, actors, { list, item: entityId, from, add, found: async () => undefined });
  };
}
