import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../errors.js';

/**
 * Makes a folder and those above it that are missing, for this user alone. Throws a `StartError` that names the folder.
 * Node's own way of doing it never returns where a file system takes no folders, as `/proc` does not.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data folder ${folder} cannot be made: ${code ?? message}; choose another with DATA_DIR`,
      { cause: error },
    );
  }
}

async function make(folder: string): Promise<void> {
  const above = dirname(folder);
  if (above !== folder && !(await exists(above))) await make(above);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(folder)).isDirectory();
    if (!isThere) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
