/** A process that prints the first revisions that it gets from a store, a line each, until it is killed. */
import { setImmediate } from 'node:timers/promises';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import { openMongo } from '../../src/store/mongo/mongo.js';

/** Lines printed together: none is left in the process when it is killed. */
const TOGETHER = 1_000;

const place = JSON.parse(process.argv[2]!) as { readonly folder: string } | { readonly url: string };
const store = 'folder' in place ? await openLmdb(place) : await openMongo(place);
for (;;) {
  let lines = '';
  for (let i = 0; i < TOGETHER; i += 1) lines += `${await store.nextRevision(0)}\n`;
  await new Promise((resolve) => process.stdout.write(lines, resolve));
  await setImmediate();
}
