import { openLmdb } from './lmdb.js';
import { openMongo } from './mongo.js';
import type { Store } from './port.js';

/** Opens the store that the settings name: MongoDB where there is a url, else the embedded one in a folder. */
export function openStore(options: {
  readonly folder: string;
  readonly mongodbUrl: string | undefined;
}): Promise<Store> {
  const { folder, mongodbUrl } = options;
  return mongodbUrl === undefined ? openLmdb({ folder }) : openMongo({ url: mongodbUrl });
}
