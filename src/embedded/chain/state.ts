import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The chain's state in a folder: the newest that was saved whole, and the one before. */
export interface ChainState {
  /** Where to start from, the best first; empty on the first start. */
  candidates(): readonly string[];
  /** Keeps a state that the node gave: gzip in hexadecimal digits. It is there as a whole or not at all. */
  save(dumped: string): Promise<void>;
  /** Puts a state aside that the node cannot read. Gives its new name. */
  setAside(file: string): Promise<string>;
}

/** Keeps the state in files of this folder, which exists. */
export function chainState(folder: string): ChainState {
  const newest = join(folder, 'state.json');
  const previous = join(folder, 'state.previous.json');
  return {
    candidates: () => [newest, previous].filter((file) => existsSync(file)),
    async save(dumped) {
      const content = await promisify(gunzip)(Buffer.from(dumped.slice(2), 'hex'));
      const unfinished = join(folder, 'state.unfinished.json');
      await write(unfinished, content);
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

/** Writes a file that is on the disk when this resolves. */
async function write(file: string, content: Uint8Array): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
