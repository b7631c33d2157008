import { setup } from 'xstate';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import { addedAll, EMPTY } from './paged-list.js';
import type { Addition, FullPage, PagedList, Unchecked } from './paged-list.js';

/** The entities that have transactions, in the order in which they got their first one. */
export interface RegisterContext extends ActorContext, PagedList {
  readonly outbox: readonly PageEffect[];
}

/** Put a page of a list into a document of its own. */
export interface PageEffect extends OutboxEntry, FullPage {
  readonly type: 'page';
}

/** The reply to `add`: undefined once all are in the list, else of each addition undefined once it is. */
export type UncheckedAdditions = readonly (Unchecked | undefined)[] | undefined;

export type RegisterEvent = ActorEvent &
  (
    | { readonly type: 'add'; readonly additions: readonly Addition[] }
    | { readonly type: 'performed'; readonly entryId: string }
    | { readonly type: 'wake' }
  );

/** Entities in a page of the register. */
export const REGISTER_PAGE = 250;

/** The effect that puts a page away. */
export function pageEffect(page: FullPage): PageEffect {
  return { id: `page:${page.number}`, type: 'page', ...page };
}

/** Whoever has pages put away. */
interface PageKeeping extends ActorContext {
  readonly outbox: readonly PageEffect[];
}

/** The page of an effect is in its document. */
export function pageKept(
  { outbox }: PageKeeping,
  { entryId }: ActorEvent & { readonly type: 'performed'; readonly entryId: string },
): Partial<PageKeeping> {
  return { outbox: outbox.filter((entry) => entry.id !== entryId) };
}

/** The machine of the register, of all entities or of those of one tenant: it only grows. */
export const registerMachine = setup({
  types: { context: {} as RegisterContext, events: {} as RegisterEvent },
}).createMachine({
  id: 'register',
  context: { ...EMPTY, outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'growing',
  states: {
    growing: {
      on: {
        add: { actions: decides(add) },
        performed: { actions: decides(pageKept) },
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
