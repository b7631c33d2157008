import { StartError } from '../errors.js';
import { openLmdbImport } from './lmdb/import.js';
import { openLmdb } from './lmdb/lmdb.js';
import { type Store, type StoreImport, StoreUnavailable } from './port.js';

/** Which store to open. */
export interface StoreSettings {
  readonly folder: string;
  readonly mongodbUrl: string | undefined;
}

/**
 * Opens the store that the settings name: MongoDB if there is a URL, otherwise the embedded store in a folder. Rejects
 * with `StartError` if a setting is wrong or the server does not run.
 */
export async function openStore(options: StoreSettings): Promise<Store> {
  const { folder, mongodbUrl } = options;
  try {
    if (mongodbUrl === undefined) return await openLmdb({ folder });
    // The driver takes a quarter of the start's CPU time.
    const { openMongo } = await import('./mongo/mongo.js');
    return await openMongo({ url: mongodbUrl });
  } catch (error) {
    throw startErrorOf(error, mongodbUrl !== undefined);
  }
}

/**
 * Opens the store that the settings name, as `openStore` does, to fill it. Rejects with `StartError` if it is in use or not
 * empty.
 */
export async function openStoreImport({ folder, mongodbUrl }: StoreSettings): Promise<StoreImport> {
  try {
    if (mongodbUrl === undefined) return await openLmdbImport(folder);
    const { openMongoImport } = await import('./mongo/import.js');
    return await openMongoImport(mongodbUrl);
  } catch (error) {
    throw startErrorOf(error, mongodbUrl !== undefined);
  }
}

/** Returns the error of a start: that of a store that does not answer as a `StartError` with advice, any other as it is. */
export function startErrorOf(error: unknown, shared: boolean): unknown {
  if (!(error instanceof StoreUnavailable)) return error;
  const advice = shared
    ? 'see that it runs, and check MONGODB_URL'
    : 'see that its disk has room, or choose another folder with DATA_DIR';
  return new StartError(`${error.message}; ${advice}`, { cause: error });
}
