import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** States of a chain in a folder: the newest complete one and the previous one. */
export interface ChainState {
  /** Returns the states to start from, the newest first. Empty on the first start. */
  candidates(): readonly string[];
  /** Saves a state atomically. `dump` is gzip in hexadecimal digits. */
  save(dump: string): Promise<void>;
  /** Renames a state that the node cannot read. Returns its new path. */
  setAside(file: string): Promise<string>;
}

/** Opens the states of an existing folder. */
export function chainState(folder: string): ChainState {
  const newest = join(folder, 'state.json');
  const previous = join(folder, 'state.previous.json');
  return {
    candidates: () => [newest, previous].filter((file) => existsSync(file)),
    async save(dump) {
      const content = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'));
      const unfinished = join(folder, 'state.unfinished.json');
      await writeDurably(unfinished, content);
      if (existsSync(newest)) await rename(newest, previous);
      await rename(unfinished, newest);
    },
    async setAside(file) {
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
