import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../errors.js';
import { commitStorable } from '../check-commit.js';
import { STORE_FORMAT } from '../format.js';
import type { Committed, StoreImport } from '../port.js';
import { commit } from './change.js';
import { DATA_FILE, openEnvironment } from './environment.js';
import { failure } from './failure.js';
import { lockFolder } from './folder-lock.js';
import { makeFolder } from './make-folder.js';
import { keepTime } from './numbers.js';
import { FORMAT, RESERVED } from './tables.js';
import { removeUnfinished, unfinishedIn } from './unfinished.js';

/**
 * Opens an import into a data folder, which it locks: see `openStoreImport`. The file is made in a folder inside, and then moved
 * into its place.
 */
export async function openLmdbImport(folder: string): Promise<StoreImport> {
  await makeFolder(folder);
  const lock = await lockFolder(folder);
  try {
    await refuseFilled(folder);
    await removeUnfinished(folder);
    await mkdir(unfinishedIn(folder), { mode: 0o700 });
    return await importInto(folder, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function importInto(folder: string, release: () => Promise<void>): Promise<StoreImport> {
  const unfinished = unfinishedIn(folder);
  const { environment, tables } = await openEnvironment(unfinished);
  let isOpen = true;
  const closeEnvironment = async (): Promise<void> => {
    if (isOpen) await environment.close();
    isOpen = false;
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw await failure(`The data folder ${folder} cannot be filled`, folder, error);
    }
  };
  return {
    commit: (batch) =>
      run(async () => {
        const results = await commitStorable(batch, (storable) => commit(tables, storable));
        return results as readonly Committed[];
      }),
    finish: ({ reserved, keptTime }) =>
      run(async () => {
        await tables.numbers.put(RESERVED, String(reserved));
        if (keptTime !== undefined) await keepTime(tables, keptTime);
        await tables.numbers.put(FORMAT, String(STORE_FORMAT.lmdb));
        await closeEnvironment();
        await sync(join(unfinished, DATA_FILE));
        await rename(join(unfinished, DATA_FILE), join(folder, DATA_FILE));
        await sync(folder);
      }),
    async close() {
      await closeEnvironment();
      await removeUnfinished(folder);
      await release();
    },
  };
}

/** Throws a `StartError` for a data folder with documents. */
async function refuseFilled(folder: string): Promise<void> {
  const isThere = await stat(join(folder, DATA_FILE)).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  const { environment, tables } = await openEnvironment(folder);
  const [some] = tables.frequent.getKeys({ start: ' ', limit: 1 });
  await environment.close();
  if (some === undefined) return;
  throw new StartError(
    `The data folder ${folder} has a store that is not empty: choose another folder with DATA_DIR, or move ${DATA_FILE} away`,
  );
}

/** Waits until a file, or the names in a folder, are on the disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
