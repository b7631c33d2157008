import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A folder or file cannot be closed to other users. The message is worded to follow "The folder …". */
export class NotPrivate extends Error {
  override readonly name = 'NotPrivate';
}

/** Why a folder cannot be made, and what to do, by the code of the file system. */
const WORDS: Readonly<Record<string, string>> = {
  EEXIST: 'a file is in its place: remove it',
  ENOTDIR: 'a folder above it is a file: remove that',
  ENOENT: 'the file system takes no folders',
  EACCES: 'this user may not use it, or not write to the folder above it: change the owner',
  EPERM: 'this user may not use it, or not write to the folder above it: change the owner',
  EROFS: 'the file system is read-only: mount it for writing',
  ENOSPC: 'the disk is full: free some space',
};

/** Returns why a folder cannot be used, and what to do. Worded to follow "The folder …". */
export function folderReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (error instanceof NotPrivate || code === '') return message;
  return `cannot be made: ${code}, ${WORDS[code] ?? message}`;
}

const FOLDER = 0o700;
const FILE = 0o600;

/**
 * Creates a folder and its missing parents, readable by this user only. An existing folder is closed to others if
 * `isOwn` returns true for the names in it; a folder that others need, such as `/tmp`, stays as it is. Throws
 * `NotPrivate`, or the file system's error. `mkdir` with `recursive` is not used: it never returns on a file system that
 * takes no folders, such as `/proc`.
 */
export async function makePrivateFolder(
  folder: string,
  isOwn: (names: readonly string[]) => boolean,
): Promise<void> {
  if (await create(folder)) return;
  if (!(await isOpen(folder, FOLDER))) return;
  if (!isOwn(await readdir(folder))) {
    throw new NotPrivate(
      `is open to other users and holds other files: close it (chmod 700) if nobody else needs it`,
    );
  }
  await close(folder, FOLDER);
}

/** Closes an existing file to other users. Throws `NotPrivate`, or the file system's error. */
export async function makePrivateFile(file: string): Promise<void> {
  if (await isOpen(file, FILE)) await close(file, FILE);
}

/** Returns true if the folder was missing. */
async function create(folder: string): Promise<boolean> {
  const above = dirname(folder);
  if (above !== folder && !(await exists(above))) await create(above);
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

/** Windows has no modes: there a folder inherits the rights of its parent. */
async function isOpen(path: string, mode: number): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o777 & ~mode) !== 0;
}

async function close(path: string, mode: number): Promise<void> {
  try {
    await chmod(path, mode);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const remedy = `chown ${process.geteuid?.()} ${path}`;
    throw new NotPrivate(
      `is open to others and belongs to another user (${code}): make it this user's (${remedy})`,
      {
        cause,
      },
    );
  }
}
