import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { ENTITY_INDEX } from '../addresses.js';
import { pageEffect, type PageEffect, type PageEffectOptions, pageEffects } from './page-machine.js';
import { addedAll, type Addition, EMPTY, type PagedList, type Unchecked } from './paged-list.js';

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

/** Entities in a page of the entity index. */
export const ENTITY_INDEX_PAGE = 250;

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
export function entityIndexKind(options: PageEffectOptions): ActorKind {
  return {
    name: ENTITY_INDEX,
    version: 1,
    machine: entityIndexMachine,
    rarelyWritten: [],
    effects: pageEffects(options),
  };
}
