import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** States of a chain in an existing folder: the newest complete one and the previous one. */
export function chainState(folder: string) {
  const newest = join(folder, 'state.json');
  const previous = join(folder, 'state.previous.json');
  return {
    /** Returns the states to start from, the newest first. Empty on the first start. */
    candidates: () => [newest, previous].filter((file) => existsSync(file)),
    /** Saves a state atomically. `dump` is gzip in hexadecimal digits. */
    async save(dump: string) {
      const content = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'));
      const unfinished = join(folder, 'state.unfinished.json');
      await writeDurably(unfinished, content);
      if (existsSync(newest)) await rename(newest, previous);
      await rename(unfinished, newest);
    },
    /** Renames a state that the node cannot read. Returns its new path. */
    async setAside(file: string): Promise<string> {
      const aside = join(folder, 'state.unreadable.json');
      await rm(aside, { force: true });
      await rename(file, aside);
      return aside;
    },
  };
}

/** Writes a file. Resolves once it is on the disk. */
async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
