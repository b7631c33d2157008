import type { ActorContext } from '../../actors/kind.js';
import type { Actors } from '../../actors/runtime.js';
import { actorId } from '../../store/port.js';
import type { Address, Store } from '../../store/port.js';
import { entityAddress, registerAddress } from '../addresses.js';
import { ENTITY_PAGE } from './entity-machine.js';
import { pageAddress, pageText } from './page-machine.js';
import type { PageEffect } from './page-machine.js';
import { countOf, EMPTY } from './paged-list.js';
import type { PagedList } from './paged-list.js';
import { REGISTER_PAGE } from './register-machine.js';

/** A list that an actor keeps, and how long its pages are. */
export interface ListOf {
  readonly address: Address;
  readonly pageLength: number;
}

/** The transactions of an entity. */
export function entityList(entityId: string): ListOf {
  return { address: entityAddress(entityId), pageLength: ENTITY_PAGE };
}

/** The entities of a register. */
export function registerList(register: string): ListOf {
  return { address: registerAddress(register), pageLength: REGISTER_PAGE };
}

/** The lists of the ledger, with their pages. */
export interface Lists {
  /** How many items there are; 0 where there is no such list. */
  count(list: ListOf): Promise<number>;
  /** As `count`, or fewer: what is known at once. */
  countAtLeast(list: ListOf): Promise<number>;
  /** How many items lie in pages, or fewer: what is known at once. */
  pagedAtLeast(list: ListOf): Promise<number>;
  /** The items from one position to before another, in pieces of at most two pages. */
  slice(list: ListOf, from: number, to: number): AsyncGenerator<readonly string[]>;
  /** A position between two others that lies in the page of an item, and not behind it; undefined where none holds it. */
  find(list: ListOf, item: string, from: number, below: number): Promise<number | undefined>;
}

interface Kept extends PagedList {
  readonly outbox: readonly PageEffect[];
}

/** Makes the lists, straight on the store where a page is: reading a long list must not drive actors out of memory. */
export function createLists(actors: () => Actors, store: Store): Lists {
  const kept = async ({ address }: ListOf): Promise<Kept | undefined> =>
    (await actors().read<Kept & { wakeAt: undefined; reply: undefined }>(address))?.context;

  const knownAtOnce = async (list: ListOf): Promise<Kept | undefined> =>
    actors().peek<Kept & ActorContext>(list.address)?.context ?? kept(list);

  const put = async ({ address }: ListOf, number: number): Promise<readonly string[] | undefined> => {
    const text = await pageText(store, pageAddress(address.kind, address.name, number));
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  };

  const page = async (list: ListOf, number: number): Promise<readonly string[]> => {
    const known = await put(list, number);
    if (known !== undefined) return known;
    // It is on its way out of the actor, or has arrived meanwhile.
    const entry = (await kept(list))?.outbox.find((waiting) => waiting.number === number);
    const items = entry?.items ?? (await put(list, number));
    if (items === undefined) throw new Error(`page ${number} of ${actorId(list.address)} is missing`);
    return items;
  };

  return {
    count: async (list) => countOf((await kept(list)) ?? EMPTY),
    countAtLeast: async (list) => countOf((await knownAtOnce(list)) ?? EMPTY),
    pagedAtLeast: async (list) => ((await knownAtOnce(list)) ?? EMPTY).first,
    async *slice(list, from, to) {
      const found = await kept(list);
      if (found === undefined) return;
      let at = from;
      for (; at < Math.min(to, found.first);) {
        const number = Math.floor(at / list.pageLength);
        const begin = number * list.pageLength;
        const items = await page(list, number);
        yield items.slice(at - begin, to - begin);
        at = begin + list.pageLength;
      }
      if (at < to) yield found.items.slice(at - found.first, to - found.first);
    },
    async find(list, item, from, below) {
      for (let at = from; at < below; at += list.pageLength) {
        const items = await page(list, Math.floor(at / list.pageLength));
        if (items.includes(item)) return Math.max(from, at - (at % list.pageLength));
      }
      return undefined;
    },
  };
}
