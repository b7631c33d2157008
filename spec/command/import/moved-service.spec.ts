import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { movedServiceFeatures } from './moved-service.features.js';

describe('a service that is exported and imported into a data folder', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  const make = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'moved-'));
    folders.push(folder);
    return { DATA_DIR: folder };
  };
  movedServiceFeatures(async () => [await make(), await make()]);
});
