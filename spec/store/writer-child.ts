/**
 * A process that counts in several documents at once, and prints a line `id revision` for each commit with the outcome
 * `won`. Specs kill it or its server. Ends with its input.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import { openMongo } from '../../src/store/mongo/mongo.js';
import { type Store, StoreUnavailable } from '../../src/store/port.js';
import { change, commitOne, creation } from './documents.js';

const LANES = 24;

const orders = { end: false };

/** Counts in one document, whose frequently written text is the count. */
async function count(store: Store, id: string): Promise<void> {
  while (!orders.end) {
    try {
      const stored = await store.load(id);
      const commit =
        stored === undefined
          ? creation(id, { frequent: '1' })
          : change(id, stored, { frequent: String(Number(stored.frequent) + 1) });
      if ((await commitOne(store, commit)) === 'won') process.stdout.write(`${id} ${commit.expected + 1}\n`);
      else process.stdout.write(`${id} lost\n`);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await pause(20);
    }
  }
}

const place = JSON.parse(process.argv[2]!) as { readonly folder: string } | { readonly url: string };
const store = 'folder' in place ? await openLmdb(place) : await openMongo({ ...place, timeoutMs: 2_000 });
process.stdin.resume().once('end', () => {
  orders.end = true;
});
await Promise.all(
  Array.from({ length: LANES }, (_, lane) => count(store, `counter/lane-${lane % 4}/${lane}`)),
);
await store.close();
