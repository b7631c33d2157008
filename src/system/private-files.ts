import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Why a folder or file cannot be kept from other users; the message reads on after "The folder …". */
export class NotPrivate extends Error {
  override readonly name = 'NotPrivate';
}

const FOLDER = 0o700;
const FILE = 0o600;

/**
 * Makes a folder and those above it that are missing, for this user alone. One that is there is closed to others where
 * `isOwn` says so of the names in it: a folder that others need, such as `/tmp`, must not be taken from them. Throws
 * `NotPrivate`, or what the file system says. Node's own way of making folders never returns where a file system takes
 * none, as `/proc` does not.
 */
export async function makePrivateFolder(
  folder: string,
  isOwn: (names: readonly string[]) => boolean,
): Promise<void> {
  if (await isMade(folder)) return;
  if (!(await isOpen(folder, FOLDER))) return;
  if (!isOwn(await readdir(folder))) {
    throw new NotPrivate(
      `is open to other users and holds other files: close it (chmod 700) if nobody else needs it`,
    );
  }
  await close(folder, FOLDER);
}

/** Closes a file that is there to other users. Throws `NotPrivate`, or what the file system says. */
export async function makePrivateFile(file: string): Promise<void> {
  if (await isOpen(file, FILE)) await close(file, FILE);
}

/** Whether the folder was missing. */
async function isMade(folder: string): Promise<boolean> {
  const above = dirname(folder);
  if (above !== folder && !(await exists(above))) await isMade(above);
  try {
    await mkdir(folder, { mode: FOLDER });
    return true;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(folder)).isDirectory();
    if (isThere) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Windows has no modes: there a folder has the rights of the one above it. */
async function isOpen(path: string, mode: number): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o777 & ~mode) !== 0;
}

async function close(path: string, mode: number): Promise<void> {
  try {
    await chmod(path, mode);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const mend = `chown ${process.geteuid?.()} ${path}`;
    throw new NotPrivate(
      `is open to others and belongs to another user (${code}): make it this user's (${mend})`,
      {
        cause,
      },
    );
  }
}
