import { StartError } from '../../errors.js';
import { makePrivateFolder, NotPrivate } from '../../system/private-files.js';

/** What a data folder holds that was used before; the last is what a volume of a file system has by itself. */
const OWN = new Set(['data.mdb', 'chain', 'lost+found']);

/**
 * Makes a data folder and those above it that are missing, for this user alone, also where it was there before. Throws a
 * `StartError` that names the folder: it cannot be made, or is open to other users and not ours to close.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder, (names) => names.length === 0 || names.some((name) => OWN.has(name)));
  } catch (error) {
    throw folderFault(folder, error);
  }
}

/** The `StartError` for what kept a data folder from being used. */
export function folderFault(folder: string, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = error instanceof NotPrivate ? message : `cannot be made: ${code ?? message}`;
  return new StartError(`The data folder ${folder} ${why}; or choose another with DATA_DIR`, {
    cause: error,
  });
}
