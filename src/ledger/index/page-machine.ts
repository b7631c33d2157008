import { assign, setup } from 'xstate';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { actorId } from '../../store/port.js';
import type { Address, Store } from '../../store/port.js';

/** A text that is written once: items that an actor has no room for, or entries of a batch. */
export interface PageContext extends ActorContext {
  /** JSON. */
  readonly text: string;
}

export type PageEvent = ActorEvent &
  /** `until`: when it may go again unless it is kept, ms since the epoch; undefined for good. */
  (
    | { readonly type: 'put'; readonly text: string; readonly until?: number }
    | { readonly type: 'keep' }
    | { readonly type: 'wake' }
  );

export const PAGE = 'page';

/** The page of a list: `of` names the kind of the list, `list` the list, and what is in it never changes. */
export function pageAddress(of: string, list: string, number: number): Address {
  return { kind: PAGE, tenant: of, name: `${list}/${String(number).padStart(8, '0')}` };
}

/** What a page holds, straight from the store; undefined where there is none. */
export async function pageText(store: Store, address: Address): Promise<string | undefined> {
  const stored = await store.load(actorId(address));
  return stored && (JSON.parse(stored.cold) as Pick<PageContext, 'text'>).text;
}

/**
 * Who is woken so much later than he asked, ms, was woken by a start: whoever was about to keep him is so only now, and
 * has as long for it.
 */
const LATE_MS = 10 * 60 * 1000;

/**
 * The machine of a page: `empty`, `put` for a while where what it belongs to is not certain yet, and `kept` for good;
 * what is put later changes nothing but how long it stays.
 */
const pageMachine = setup({
  types: { context: {} as PageContext, events: {} as PageEvent },
}).createMachine({
  id: 'page',
  context: { text: '[]', outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'empty',
  states: {
    empty: {
      on: {
        put: [
          {
            guard: ({ event }) => event.until === undefined,
            target: 'kept',
            actions: assign(({ event }) => ({ text: event.text })),
          },
          { target: 'put', actions: assign(({ event }) => ({ text: event.text, wakeAt: event.until! })) },
        ],
      },
    },
    put: {
      on: {
        put: { actions: assign(({ context, event }) => ({ wakeAt: event.until ?? context.wakeAt })) },
        keep: { target: 'kept', actions: assign({ wakeAt: undefined }) },
        wake: [
          {
            guard: ({ context, event }) => (context.wakeAt ?? Infinity) + LATE_MS <= event.now,
            actions: assign({ wakeAt: ({ event }) => event.now + LATE_MS }),
          },
          { guard: ({ context, event }) => (context.wakeAt ?? Infinity) <= event.now, target: 'gone' },
        ],
      },
    },
    kept: {},
    gone: {},
  },
});

/** The kind of the pages. */
export const pageKind: ActorKind = {
  name: PAGE,
  version: 1,
  machine: pageMachine,
  rarelyWritten: ['text'],
  effects: {},
  // It is read straight from the store.
  evictAfter: ['kept'],
  unindexedState: 'kept',
  deletedState: 'gone',
};
