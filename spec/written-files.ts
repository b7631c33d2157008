import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the files of a spec. */
export interface WrittenFiles {
  /** Returns the path of a file, which may not be there. */
  pathOf(name: string): string;
  /** Writes a text, bytes, or a value as JSON. Returns the path of the file. */
  file(name: string, content: unknown): Promise<string>;
}

/** Adds hooks to a `describe`: each spec has an empty folder. */
export function writtenFiles(): WrittenFiles {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirzam-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const pathOf = (name: string): string => join(folder, name);
  return {
    pathOf,
    async file(name, content) {
      await writeFile(
        pathOf(name),
        typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
      );
      return pathOf(name);
    },
  };
}
