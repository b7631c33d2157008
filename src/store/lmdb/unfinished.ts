import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the folder in which an import makes the store of a data folder. */
export function unfinishedIn(folder: string): string {
  return join(folder, 'import.unfinished');
}

/** Removes what an import has left that was killed. The data folder must be locked. */
export async function removeUnfinished(folder: string): Promise<void> {
  await rm(unfinishedIn(folder), { recursive: true, force: true });
}
