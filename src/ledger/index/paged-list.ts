/**
 * A list of texts that only grows. An actor holds the newest items; older ones lie in pages, which are documents of their
 * own. The position of an item never changes, so that a reader with an offset misses no item and sees none twice.
 */
export interface PagedList {
  /** Items in pages: the position of `items[0]`, a multiple of the page length. */
  readonly first: number;
  /** The newest items, oldest first: at least a page length once the list is that long. */
  readonly items: readonly string[];
}

/** An item to be added. */
export interface Addition {
  readonly item: string;
  /** The item is not before this position: a count of the list from before the item was first added. */
  readonly from: number;
  /** Pages before this position were searched and do not hold the item. */
  readonly checked: number;
}

/** The pages before `below` may hold an item: they have to be searched first. */
export interface Unchecked {
  readonly below: number;
}

/** The oldest items of an actor, to be moved into a page. */
export interface FullPage {
  /** From 0. */
  readonly number: number;
  readonly items: readonly string[];
}

/** Transactions in a page of an entity. */
export const ENTITY_PAGE = 50;
/** Entities in a page of an entity index. */
export const ENTITY_INDEX_PAGE = 250;

export const EMPTY: PagedList = { first: 0, items: [] };

/** Returns the number of items. */
export function countOf({ first, items }: PagedList): number {
  return first + items.length;
}

/** The result of several additions, in order; `there`: the list holds the item already. */
interface AllAdded {
  /** The same object if nothing was added. */
  readonly list: PagedList;
  /** Pages that have become full, in order. */
  readonly pages: readonly FullPage[];
  /** Of each addition. */
  readonly outcomes: readonly ('there' | 'added' | Unchecked)[];
}

/** Adds each item once, however often it comes. Exact as long as `from` and `checked` are true. */
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
