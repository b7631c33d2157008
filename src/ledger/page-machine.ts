import { assign, setup } from 'xstate';
import type { ActorContext, ActorEvent, ActorKind } from '../actors/kind.js';
import type { Address } from '../store/port.js';

/** A text that is written once: items that an actor has no room for, or entries of a batch. */
export interface PageContext extends ActorContext {
  /** JSON. */
  readonly text: string;
}

export type PageEvent = ActorEvent &
  ({ readonly type: 'put'; readonly text: string } | { readonly type: 'wake' });

export const PAGE = 'page';

/** The page of a list: `of` names the kind of the list, `list` the list, and what is in it never changes. */
export function pageAddress(of: string, list: string, number: number): Address {
  return { kind: PAGE, tenant: of, name: `${list}/${String(number).padStart(8, '0')}` };
}

/** The machine of a page: `empty`, then `kept` for good; what is put later changes nothing. */
const pageMachine = setup({
  types: { context: {} as PageContext, events: {} as PageEvent },
}).createMachine({
  id: 'page',
  context: { text: '[]', outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'empty',
  states: {
    empty: { on: { put: { target: 'kept', actions: assign(({ event }) => ({ text: event.text })) } } },
    kept: {},
  },
});

/** The kind of the pages. */
export const pageKind: ActorKind = {
  name: PAGE,
  version: 1,
  machine: pageMachine,
  cold: ['text'],
  effects: {},
};
