import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { readGauges, type Reading } from './read.js';

/** Adds the metrics of the disk under the data folder, and of the embedded store in it. */
export function diskMetrics(registry: Registry, folder: string): void {
  const disk = async (read: (of: { bsize: number; bavail: number; blocks: number }) => number) =>
    maybe(async () => read(await statfs(folder)));
  readGauges(
    registry,
    { name: 'mirzam_disk_free_bytes', help: 'Free bytes of the disk of the data folder' },
    () => disk(({ bsize, bavail }) => bsize * bavail),
  );
  readGauges(registry, { name: 'mirzam_disk_bytes', help: 'Bytes of the disk of the data folder' }, () =>
    disk(({ bsize, blocks }) => bsize * blocks),
  );
  readGauges(
    registry,
    { name: 'mirzam_store_file_bytes', help: 'Bytes of the file of the embedded store' },
    () => maybe(async () => (await stat(join(folder, 'data.mdb'))).size),
  );
}

/** Returns no reading for a folder or a file that does not exist, as with MongoDB. */
async function maybe(read: () => Promise<number>): Promise<readonly Reading[]> {
  try {
    return [{ labels: {}, value: await read() }];
  } catch {
    return [];
  }
}
