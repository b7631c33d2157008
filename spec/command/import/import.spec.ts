import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStoreImport } from '../../../src/store/select.js';
import { scenes } from '../../e2e/scene.js';
import { rejectionOf } from '../../rejection.js';
import { importFeatures } from './import.features.js';

describe('mirzam import into a data folder', () => {
  const open = scenes();

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

  it('has the folder for itself meanwhile', async () => {
    const folder = await open.folder();
    const running = await openStoreImport({ folder, mongodbUrl: undefined });
    const refused = await rejectionOf(open.service({ DATA_DIR: folder }));
    expect(refused.message).to.match(/is in use by process \d+/);
    const second = await rejectionOf(openStoreImport({ folder, mongodbUrl: undefined }));
    expect(second.message).to.match(/is in use by process \d+/);
    await running.close();
    await open.service({ DATA_DIR: folder });
  });
});
