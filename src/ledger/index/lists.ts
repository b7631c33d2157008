import type { ActorContext, Actors } from '../../actors/kind.js';
import { actorId, type Address, type Store } from '../../store/port.js';
import { entityAddress, entityIndexAddress } from '../addresses.js';
import { pageAddress, type PageEffect, pageText } from './page-machine.js';
import {
  countOf,
  EMPTY,
  ENTITY_INDEX_PAGE,
  ENTITY_PAGE,
  type PagedList,
  type Unchecked,
} from './paged-list.js';

/** A paged list: the actor that holds its newest items, and the length of its pages. */
export interface ListOf {
  readonly address: Address;
  readonly pageLength: number;
}

/** The list of an entity's transactions (L7). */
export function entityList(entityId: string): ListOf {
  return { address: entityAddress(entityId), pageLength: ENTITY_PAGE };
}

/** The list of an entity index's entities (L6). */
export function entityIndexList(index: string): ListOf {
  return { address: entityIndexAddress(index), pageLength: ENTITY_INDEX_PAGE };
}

/** Reads the lists of the ledger, with their pages. */
export type Lists = ReturnType<typeof createLists>;

interface StoredList extends PagedList {
  readonly outbox: readonly PageEffect[];
}

/** Returns the lists. Pages are read from the store: a long list would take the memory of other actors. */
export function createLists(store: Store) {
  const read = async (actors: Actors, { address }: ListOf): Promise<StoredList | undefined> =>
    (await actors.read<StoredList & { wakeAt: undefined; reply: undefined }>(address))?.context;

  const peekOrRead = async (actors: Actors, list: ListOf): Promise<StoredList | undefined> =>
    actors.peek<StoredList & ActorContext>(list.address)?.context ?? read(actors, list);

  const stored = async ({ address }: ListOf, number: number): Promise<readonly string[] | undefined> => {
    const text = await pageText(store, pageAddress(address.kind, address.name, number));
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  };

  const page = async (actors: Actors, list: ListOf, number: number): Promise<readonly string[]> => {
    const found = await stored(list, number);
    if (found !== undefined) return found;
    // The page is in the actor's outbox, or has been stored meanwhile.
    const entry = (await read(actors, list))?.outbox.find((waiting) => waiting.number === number);
    const items = entry?.items ?? (await stored(list, number));
    if (items === undefined) throw new Error(`page ${number} of ${actorId(list.address)} is missing`);
    return items;
  };

  return {
    /** Returns the number of items; 0 for an unknown list. */
    count: async (actors: Actors, list: ListOf) => countOf((await read(actors, list)) ?? EMPTY),
    /** As `count`, or fewer: uses what this node knows without asking the store. */
    countAtLeast: async (actors: Actors, list: ListOf) => countOf((await peekOrRead(actors, list)) ?? EMPTY),
    /** Returns the number of items in pages, or fewer: uses what this node knows without asking the store. */
    pagedAtLeast: async (actors: Actors, list: ListOf) => ((await peekOrRead(actors, list)) ?? EMPTY).first,
    /** Returns the items from position `from` to before `to`, in pieces of at most two pages. */
    async *slice(actors: Actors, list: ListOf, from: number, to: number): AsyncGenerator<readonly string[]> {
      const found = await read(actors, list);
      if (found === undefined) return;
      let at = from;
      for (; at < Math.min(to, found.first);) {
        const number = Math.floor(at / list.pageLength);
        const begin = number * list.pageLength;
        const items = await page(actors, list, number);
        yield items.slice(at - begin, to - begin);
        at = begin + list.pageLength;
      }
      if (at < to) yield found.items.slice(at - found.first, to - found.first);
    },
    /**
     * Searches the pages between two positions for an item. Returns a position in its page that is not after the item;
     * undefined if no page holds it.
     */
    async find(actors: Actors, list: ListOf, item: string, from: number, below: number) {
      for (let at = from; at < below; at += list.pageLength) {
        const items = await page(actors, list, Math.floor(at / list.pageLength));
        if (items.includes(item)) return Math.max(from, at - (at % list.pageLength));
      }
      return undefined;
    },
  };
}

/** How an item is added to a list, once. */
export interface AddOnce<R> {
  readonly list: ListOf;
  readonly item: string;
  /** Position from which pages may hold the item. */
  readonly from: number;
  /** Asks the list's actor to add the item. `checked`: pages before this position do not hold it. */
  readonly add: (checked: number) => Promise<R | Unchecked>;
  /** Called instead if a page holds the item. */
  readonly found: () => Promise<R>;
}

/**
 * Adds an item to a list unless a page holds it: searches the pages that `add` names, then calls it again. Returns the
 * result, and a position before which the list does not hold the item.
 */
export async function addOnce<R extends object | undefined>(
  lists: Pick<Lists, 'find'>,
  actors: Actors,
  { list, item, from, add, found }: AddOnce<R>,
): Promise<{ readonly result: R; readonly position: number }> {
  for (let checked = from; ;) {
    const reply = await add(checked);
    if (reply === undefined || !('below' in reply)) return { result: reply as R, position: checked };
    const position = await lists.find(actors, list, item, checked, reply.below);
    if (position !== undefined) return { result: await found(), position };
    checked = reply.below;
  }
}
