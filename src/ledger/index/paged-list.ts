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

/** What comes of several additions, one after the other. */
export interface AllAdded {
  /** The same one where nothing was added. */
  readonly list: PagedList;
  /** Those that have become full, in their order. */
  readonly pages: readonly FullPage[];
  /** Of each addition. */
  readonly outcomes: readonly ('there' | 'added' | Unchecked)[];
}

/** The pages before a position may hold an item: they have to be looked through first. */
export interface Unchecked {
  readonly below: number;
}

/** Adds each item once, however often it is added: exact, as long as `from` and `checked` are true. */
export function addedAll(list: PagedList, additions: readonly Addition[], pageLength: number): AllAdded {
  const pages: FullPage[] = [];
  let { first } = list;
  let items: string[] | undefined;
  const known = additions.length === 1 ? undefined : new Set(list.items);
  const holds = (item: string): boolean => known?.has(item) ?? list.items.includes(item);
  const outcomes = additions.map(({ item, from, checked }) => {
    if (holds(item)) return 'there';
    if (Math.max(from, checked) < first) return { below: first };
    items ??= [...list.items];
    items.push(item);
    known?.add(item);
    if (items.length === 2 * pageLength) {
      pages.push({ number: first / pageLength, items: items.slice(0, pageLength) });
      items = items.slice(pageLength);
      first += pageLength;
    }
    return 'added';
  });
  return { list: items === undefined ? list : { first, items }, pages, outcomes };
}

/** Adds an item once, as `addedAll`. */
export function added(list: PagedList, addition: Addition, pageLength: number): Added {
  const { list: next, pages, outcomes } = addedAll(list, [addition], pageLength);
  const [outcome] = outcomes;
  if (outcome === 'there') return { is: 'there' };
  if (outcome === 'added') return { is: 'added', list: next, page: pages[0] };
  return { is: 'unchecked', ...outcome! };
}
