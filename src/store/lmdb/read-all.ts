import { statSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { type Listed, type Reading, StoreUnavailable } from '../port.js';
import { tablesAt } from './moments.js';
import { keptTime, reservedIn } from './numbers.js';
import { loadWithPlace } from './read.js';
import type { Tables } from './tables.js';

/** Documents and characters read in one turn of the event loop, which takes a few milliseconds. */
const PAGE = { documents: 200, characters: 256 * 1024 };
/** How much more than by its size the file may grow while it is read, bytes: pages that the moment needs are not used again. */
const GROWTH = 1024 * 1024 * 1024;

/** Opens a reading of the present moment: see `Store.readAll`. `file`: that of the data. */
export function readAll(environment: RootDatabase, tables: Tables, file: string): Reading {
  environment.resetReadTxn();
  const transaction = environment.useReadTransaction();
  const held = tablesAt(tables, transaction);
  const largest = 2 * statSync(file).size + GROWTH;
  let isOpen = true;
  return {
    isOneMoment: true,
    reserved: reservedIn(held),
    keptTime: keptTime(held),
    async *pages() {
      for (let start = ' '; ;) {
        if (!isOpen) throw new StoreUnavailable('The store is closed, or the reading of all documents is');
        if (statSync(file).size > largest)
          throw new StoreUnavailable('Too much was written while all documents were read: read them faster');
        const items: Listed[] = [];
        let characters = 0;
        for (const id of held.frequent.getKeys({ start, limit: PAGE.documents })) {
          const document = { ...loadWithPlace(held, id)!, id };
          items.push(document);
          characters += document.frequent.length + document.rare.length;
          if (characters > PAGE.characters) break;
        }
        if (items.length === 0) return;
        // A NUL after an id sorts directly after that id.
        start = `${items.at(-1)!.id}\0`;
        yield items;
      }
    },
    close() {
      if (isOpen) transaction.done();
      isOpen = false;
    },
  };
}
