/**
 * A process that commits forty times to the store in a folder, one after the other, and prints what came of each; to
 * be watched, and to be given a disk that fails.
 */
import { writeSync } from 'node:fs';
import { openLmdb } from '../../src/store/lmdb.js';
import { creation } from './documents.js';

const store = await openLmdb({ folder: process.argv[2]!, timeoutMs: 500 });
for (let round = 0; round < 40; round += 1) {
  writeSync(1, 'ask\n');
  const items = Array.from({ length: 8 }, (_, i) => creation(`k/t/${round}-${i}`, { state: 'new', wakeAt: 1 }));
  const outcome = await store.commit(items).then(
    (outcomes) => [...new Set(outcomes)].join(),
    (error: unknown) => `${(error as Error).name} ${(error as Error).message}`,
  );
  writeSync(1, `${outcome}\n`);
}
await store.close();
writeSync(1, 'closed\n');
process.exit(0);
