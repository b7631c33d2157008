import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { StartError } from '../errors.js';
import { createNodeList, isLive, LIVE_MS } from '../operator/nodes/node-list.js';
import { DATA_FILE } from '../store/lmdb/environment.js';
import type { Store } from '../store/port.js';
import { openStore } from '../store/select.js';

/**
 * Opens the store of a service that is stopped. Rejects with a `StartError` if there is none, or a service uses it. `now`: ms since
 * the epoch.
 */
export async function openStoppedStore(
  { dataDir: folder, mongodbUrl }: Config['store'],
  now: () => number,
): Promise<Store> {
  if (mongodbUrl === undefined) await requireFile(folder);
  const store = await openStore({ folder, mongodbUrl });
  try {
    await refuseLive(store, now);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function requireFile(folder: string): Promise<void> {
  try {
    await stat(join(folder, DATA_FILE));
  } catch (error) {
    throw new StartError(`The folder ${folder} has no store: check DATA_DIR`, { cause: error });
  }
}

/** Refuses a store that several nodes may use, if one does. The lock of a data folder says it for the embedded store. */
async function refuseLive(store: Store, now: () => number): Promise<void> {
  if (!store.shared) return;
  const list = createNodeList({ store, id: '', version: '', now, onError: () => undefined });
  const live = (await list.nodes()).find((one) => isLive(one, now()));
  if (live === undefined) return;
  throw new StartError(
    `The database of MONGODB_URL is in use by the node ${live.address}, last seen at ${live.seenAt}: stop all nodes, and wait ` +
      `${LIVE_MS / 1000} s`,
  );
}
