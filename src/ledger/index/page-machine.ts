import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind, EffectRun, OutboxEntry } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { actorId, type Address, type Store } from '../../store/port.js';
import type { FullPage } from './paged-list.js';

/** A text that is written once: items that an actor has no room for, or entries of a batch. */
export interface PageContext extends ActorContext {
  /** JSON. */
  readonly text: string;
}

export type PageEvent = ActorEvent &
  /** Later puts change `until` alone. `until`: when the page expires unless it is kept, ms since the epoch; absent: never. */
  (
    | { readonly type: 'put'; readonly text: string; readonly until?: number }
    /** The page never expires. */
    | { readonly type: 'keep' }
    | { readonly type: 'wake' }
  );

type Put = Extract<PageEvent, { readonly type: 'put' }>;

export const PAGE = 'page';

/** The address of a page. `of`: the kind of its list; `list`: the list's name; `number`: from 0. */
export function pageAddress(of: string, list: string, number: number): Address {
  return { kind: PAGE, tenant: of, name: `${list}/${String(number).padStart(8, '0')}` };
}

/** Returns the text of a page, read from the store without an actor; undefined if the page does not exist. */
export async function pageText(store: Store, address: Address): Promise<string | undefined> {
  const stored = await store.load(actorId(address));
  return stored && (JSON.parse(stored.rare) as Pick<PageContext, 'text'>).text;
}

/**
 * Delay, ms. A wake-up later than this comes from a restart. The request that was to keep the page was down as well, so
 * the page waits this long once more.
 */
const LATE_MS = 10 * 60 * 1000;

/** The machine of a page: `empty`, `put` until it expires or is kept, `kept` for good. An expired page is `gone`. */
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
          { guard: ({ event }) => event.until === undefined, target: 'kept', actions: decides(put) },
          { target: 'put', actions: decides(put) },
        ],
      },
    },
    put: {
      on: {
        put: {
          actions: decides((context: PageContext, event: Put) => ({ wakeAt: event.until ?? context.wakeAt })),
        },
        keep: { target: 'kept', actions: decides((): Partial<PageContext> => ({ wakeAt: undefined })) },
        wake: [
          {
            guard: ({ context, event }) => expiresAt(context) + LATE_MS <= event.now,
            actions: decides((_context: PageContext, { now }: PageEvent) => ({ wakeAt: now + LATE_MS })),
          },
          { guard: ({ context, event }) => expiresAt(context) <= event.now, target: 'gone' },
        ],
      },
    },
    kept: {},
    gone: {},
  },
});

function put(_context: PageContext, { text, until }: Put): Partial<PageContext> {
  return { text, wakeAt: until };
}

function expiresAt({ wakeAt }: PageContext): number {
  return wakeAt ?? Infinity;
}

/** The kind of the pages. */
export const pageKind: ActorKind = {
  name: PAGE,
  version: 1,
  machine: pageMachine,
  rarelyWritten: ['text'],
  effects: {},
  // Readers load the document from the store.
  evictAfter: ['kept'],
  unindexedState: 'kept',
  deletedState: 'gone',
};

/** The outbox entry of a list's actor that puts its full page into a document. */
export interface PageEffect extends OutboxEntry, FullPage {
  readonly type: 'page';
}

/** Returns the outbox entry for a full page. */
export function pageEffect(page: FullPage): PageEffect {
  return { id: `page:${page.number}`, type: 'page', ...page };
}

/** The effects of a kind whose actors hold a list with pages. `now` is in ms since the epoch. */
export function pageEffects(now: () => number) {
  return {
    async page(entry: PageEffect, _context: unknown, { address, actors }: EffectRun) {
      const event: PageEvent = { type: 'put', now: now(), text: JSON.stringify(entry.items) };
      await actors.ask(pageAddress(address.kind, address.name, entry.number), event);
      return performed(entry, now());
    },
  };
}
