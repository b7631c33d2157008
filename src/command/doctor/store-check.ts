import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.js';
import { StartError } from '../../errors.js';
import { openStore } from '../../store/select.js';
import { reasonOf } from '../../untrusted/reason.js';
import { fault, type Finding, note, ok } from './finding.js';
import type { Running } from './service-checks.js';

/**
 * Examines the store: opens it as a start does, unless a service of this machine has it open. Creates no folder and no data
 * in the embedded store; in MongoDB the collection and its indexes are created if they are missing.
 */
export async function checkStore({ store }: Config, running: Running): Promise<Finding> {
  const { dataDir, mongodbUrl } = store;
  if (mongodbUrl === undefined) {
    const folder = resolve(dataDir);
    const missing = await missingData(folder);
    if (missing !== undefined) return missing;
    if (typeof running === 'object') return ok('store', `the running service has ${folder} open`);
  }
  try {
    const open = await openStore({ folder: dataDir, mongodbUrl });
    try {
      await open.ping();
    } finally {
      await open.close();
    }
    return ok('store', mongodbUrl === undefined ? `${resolve(dataDir)} can be opened` : 'MongoDB answers');
  } catch (error) {
    // Messages of a start hold no credentials, and say what to do.
    return fault('store', error instanceof StartError ? error.message : reasonOf(error));
  }
}

/** Returns what is to be said of a folder without data; undefined if it has some. */
async function missingData(folder: string): Promise<Finding | undefined> {
  if (await isThere(join(folder, 'data.mdb'))) return undefined;
  const above = await nearest(folder);
  try {
    if (!(await stat(above)).isDirectory()) {
      return fault('store', `${above} is not a folder: remove it, or choose another folder with DATA_DIR`);
    }
    await access(above, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fault('store', `${above} cannot be written (${code}): change its owner, or DATA_DIR`);
  }
  return note('store', `${folder} has no data yet: the first start creates them`);
}

async function nearest(folder: string): Promise<string> {
  return (await isThere(folder)) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // A file in place of a folder above.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
