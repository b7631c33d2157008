import type { Store } from '../../src/store/port.js';

/** A place for documents, empty at first: a folder or a database. */
export interface Home {
  /** Opens a store on it; `remove` closes the store. */
  open(): Promise<Store>;
  /** Closes all stores and removes all documents. */
  remove(): Promise<void>;
}

/** Creates a place of its own. */
export type MakeHome = () => Promise<Home>;

/** Creates a home: `open` opens its stores, and `clear` removes it. */
export function homeOf(open: () => Promise<Store>, clear: () => Promise<void>): Home {
  const stores: Store[] = [];
  return {
    async open() {
      const store = await open();
      stores.push(store);
      return store;
    },
    async remove() {
      await Promise.all(stores.map((store) => store.close()));
      await clear();
    },
  };
}
