/**
 * A list of texts that only grows, kept as an actor's newest items and, for what is older, pages in documents of their
 * own. Where an item lies never changes, so that whoever walks the list by offset misses nothing and sees nothing twice.
 */
export interface PagedList {
  /** How many items lie in pages: the position of `items[0]`, a multiple of the page's length. */
  readonly first: number;
  /** The newest, oldest of them first: at least a page's length once there are that many. */
  readonly items: readonly string[];
}

/** What is known of an item that is to be added. */
export interface Addition {
  readonly item: string;
  /** Position before which the item cannot be: a count of the list from before the item was first added. */
  readonly from: number;
  /** Position before which the pages have been looked through, and do not hold it. */
  readonly checked: number;
}

export type Added =
  | { readonly is: 'there' }
  /** The pages between `from` and `below` may hold it: they have to be looked through first. */
  | { readonly is: 'unchecked'; readonly below: number }
  | { readonly is: 'added'; readonly list: PagedList; readonly page: FullPage | undefined };

/** Items that have become too old to stay in the actor. */
export interface FullPage {
  /** From 0. */
  readonly number: number;
  readonly items: readonly string[];
}

export const EMPTY: PagedList = { first: 0, items: [] };

/** How many items there are. */
export function countOf({ first, items }: PagedList): number {
  return first + items.length;
}

/** Adds an item once, however often it is added: exact, as long as `from` and `checked` are true. */
export function added(list: PagedList, { item, from, checked }: Addition, pageLength: number): Added {
  if (list.items.includes(item)) return { is: 'there' };
  if (Math.max(from, checked) < list.first) return { is: 'unchecked', below: list.first };
  const items = [...list.items, item];
  if (items.length < 2 * pageLength) {
    return { is: 'added', list: { first: list.first, items }, page: undefined };
  }
  return {
    is: 'added',
    list: { first: list.first + pageLength, items: items.slice(pageLength) },
    page: { number: list.first / pageLength, items: items.slice(0, pageLength) },
  };
}
