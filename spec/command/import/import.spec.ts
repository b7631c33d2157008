import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFeatures } from './import.features.js';

describe('mirzam import into a data folder', () => {
  importFeatures(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'import-'));
    return {
      settings: { DATA_DIR: folder },
      names: () => readdir(folder),
      async remove() {
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
      },
    };
  });
});
