import { StartError } from '../../errors.js';
import { folderReason, makePrivateFolder } from '../../system/private-files.js';

/** Names that mark a folder as a data folder; file systems put the last one into new volumes. */
const OWN = new Set(['data.mdb', 'chain', 'lost+found']);

/**
 * Creates a data folder and the missing ones above it, for this user alone; an existing one is made private. Rejects with
 * a `StartError` that names the folder if it cannot be created, or is open to other users and no data folder.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder, (names) => names.length === 0 || names.some((name) => OWN.has(name)));
  } catch (error) {
    throw folderFault(folder, error);
  }
}

/** Returns the `StartError` for an error of the data folder. */
export function folderFault(folder: string, error: unknown): StartError {
  return new StartError(`The data folder ${folder} ${folderReason(error)}; or choose another with DATA_DIR`, {
    cause: error,
  });
}
