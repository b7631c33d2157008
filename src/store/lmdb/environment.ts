import { join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { StartError } from '../../errors.js';
import { makePrivateFile, NotPrivate } from '../../system/private-files.js';
import { COUNTLESS, refuseOtherFormat, STORE_FORMAT } from '../format.js';
import { checkFile, type FileState } from './check-file.js';
import { folderFault } from './make-folder.js';
import { formatIn, openTables, type Tables } from './tables.js';

export const DATA_FILE = 'data.mdb';
/** Maximum time for a check of the file before lmdb opens it, ms. */
const CHECK_MS = 300;

/**
 * Opens lmdb in a data folder that no other process has open. Rejects with a `StartError` for a damaged file, and for a
 * store of another format.
 */
export async function openEnvironment(
  folder: string,
): Promise<{ readonly environment: RootDatabase; readonly tables: Tables }> {
  // With overlappingSync, a transaction can be read before it is on the disk, and then be lost.
  // With eventTurnBatching, a promise inside lmdb rejects unhandled when the disk is full, which ends the process.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path: folder,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
    permissionsMode: 0o600,
  };
  await closeFiles(folder);
  refuseDamaged(folder);
  let environment: RootDatabase | undefined;
  try {
    environment = open(options);
    const where = { store: `The data folder ${folder}`, setting: 'DATA_DIR' };
    refuseOtherFormat(formatIn(environment), [COUNTLESS, STORE_FORMAT.lmdb], where);
    return { environment, tables: openTables(environment) };
  } catch (error) {
    await environment?.close();
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The data folder ${folder} cannot be opened: ${(error as Error).message}; see that its disk has room and that this user ` +
        'may write there, or choose another with DATA_DIR',
      { cause: error },
    );
  }
}

/** Takes other users' permissions from files that exist; lmdb creates files without them. */
async function closeFiles(folder: string): Promise<void> {
  for (const file of [DATA_FILE, 'lock.mdb'].map((name) => join(folder, name))) {
    try {
      await makePrivateFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileFault(folder, error);
    }
  }
}

/** Throws a `StartError` for a file on which lmdb would end the process. */
function refuseDamaged(folder: string): void {
  let state: FileState;
  try {
    state = checkFile(join(folder, DATA_FILE), CHECK_MS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw fileFault(folder, error);
  }
  if (state.is === 'damaged') throw damaged(folder, state.why);
  if (state.is === 'foreign')
    throw new StartError(
      `${DATA_FILE} in the data folder ${folder} has version ${state.version} of lmdb's format, which this version of Mirzam ` +
        'does not read: start the version that wrote it, or choose another folder with DATA_DIR',
    );
}

function fileFault(folder: string, error: unknown): StartError {
  if (error instanceof NotPrivate) return folderFault(folder, error);
  return new StartError(
    `The data folder ${folder} has a file that cannot be used: ${(error as Error).message}; see that this user owns it, or ` +
      'choose another folder with DATA_DIR',
    { cause: error },
  );
}

function damaged(folder: string, why: string): StartError {
  return new StartError(
    `${DATA_FILE} in the data folder ${folder} is damaged, ${why}: put back a backup of the folder, or move ${DATA_FILE} ` +
      'away to begin with an empty store',
  );
}
