import { setPriority } from 'node:os';

/** A tenth of the share that other threads get, while all processors are busy. */
const LOW = 10;

/** Gives the calling thread a low priority. Only Linux has one for each thread; elsewhere it would be that of the process. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(0, LOW);
}
