import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import { type PerformedEvent, removePerformed } from '../../actors/outbox.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { REGISTER } from '../addresses.js';
import { pageEffect, type PageEffect, type PageEffectOptions, pageEffects } from './page-machine.js';
import { addedAll, type Addition, EMPTY, type PagedList, type Unchecked } from './paged-list.js';

/** The entities with transactions, in the order of their first ones. */
export interface RegisterContext extends ActorContext, PagedList {
  readonly outbox: readonly PageEffect[];
}

/** The reply to `add`: undefined if the list holds all items; else one element for each, undefined if the list holds it. */
export type UncheckedAdditions = readonly (Unchecked | undefined)[] | undefined;

export type RegisterEvent = ActorEvent &
  (
    | { readonly type: 'add'; readonly additions: readonly Addition[] }
    | PerformedEvent
    | { readonly type: 'wake' }
  );

/** Entities in a page of the register. */
export const REGISTER_PAGE = 250;

/** The machine of a register: of all entities, or of those of one tenant. */
const registerMachine = setup({
  types: { context: {} as RegisterContext, events: {} as RegisterEvent },
}).createMachine({
  id: 'register',
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

type Add = Extract<RegisterEvent, { type: 'add' }>;

function add(context: RegisterContext, { additions }: Add): Partial<RegisterContext> {
  const { list, pages, outcomes } = addedAll(context, additions, REGISTER_PAGE);
  const unchecked = outcomes.map((outcome) => (typeof outcome === 'object' ? outcome : undefined));
  const reply: UncheckedAdditions = unchecked.every((one) => one === undefined) ? undefined : unchecked;
  if (list === context) return { reply };
  const { first, items } = list;
  return { reply, first, items, outbox: [...context.outbox, ...pages.map(pageEffect)] };
}

/** The kind of the registers. */
export function registerKind(options: PageEffectOptions): ActorKind {
  return {
    name: REGISTER,
    version: 1,
    machine: registerMachine,
    rarelyWritten: [],
    effects: pageEffects(options),
  };
}
