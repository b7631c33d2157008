/**
 * A process that makes forty commits, one after the other, to the store in a folder, and prints the outcome of each. Specs
 * trace it and let its disk fail. If the store is unavailable, it waits, or closes the store if it is told to give up.
 */
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Store } from '../../../src/store/port.js';
import { commitAll, creation } from '../documents.js';

const [folder, ending] = process.argv.slice(2);

async function attempt(store: Store, round: number): Promise<string> {
  const items = Array.from({ length: 8 }, (_, i) =>
    creation(`k/t/${round}-${i}`, { state: 'new', wakeAt: 1 }),
  );
  return commitAll(store, items).then(
    (outcomes) => [...new Set(outcomes)].join(),
    (error: unknown) => `${(error as Error).name} ${(error as Error).message}`,
  );
}

async function untilItServes(store: Store): Promise<void> {
  for (;;) {
    const served = await store.ping().then(
      () => true,
      () => false,
    );
    if (served) return;
    await pause(20);
  }
}

const store = await openLmdb({ folder: folder!, timeoutMs: 300 });
for (let round = 0; round < 40; round += 1) {
  writeSync(1, 'ask\n');
  const outcome = await attempt(store, round);
  writeSync(1, `${outcome}\n`);
  if (outcome === 'won') continue;
  writeSync(1, `${await attempt(store, round + 100)}\n`);
  if (ending === 'give up') break;
  await untilItServes(store);
}
const begun = performance.now();
await store.close();
writeSync(1, performance.now() - begun < 1_000 ? 'closed\n' : 'closed late\n');
process.exit(0);
