import type { Store } from '../../src/store/port.js';

/** A place for documents, empty at first: a folder, or a database. */
export interface Home {
  /** Opens what is there; closed again by `remove` at the latest. */
  open(): Promise<Store>;
  /** Closes everything that was opened, and removes what was stored. */
  remove(): Promise<void>;
}

/** Makes a place of which nobody else knows. */
export type MakeHome = () => Promise<Home>;

/** A home whose stores are opened by `open` and that `clear` removes. */
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
