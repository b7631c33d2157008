import { StartError } from '../errors.js';
import { openLmdb } from './lmdb/lmdb.js';
import { openMongo } from './mongo/mongo.js';
import { StoreUnavailable } from './port.js';
import type { Store } from './port.js';

/**
 * Opens the store that the settings name: MongoDB if there is a URL, otherwise the embedded store in a folder. Rejects
 * with `StartError` if a setting is wrong or the server does not run.
 */
export async function openStore(options: {
  readonly folder: string;
  readonly mongodbUrl: string | undefined;
}): Promise<Store> {
  const { folder, mongodbUrl } = options;
  if (mongodbUrl === undefined) return openLmdb({ folder });
  try {
    return await openMongo({ url: mongodbUrl });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new StartError(`${error.message}; see that it runs, and check MONGODB_URL`, { cause: error });
  }
}
