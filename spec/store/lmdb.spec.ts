import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../src/store/lmdb.js';
import { homeOf } from './home.js';
import type { Home } from './home.js';
import { listingFeatures } from './listing.features.js';
import { modelFeatures } from './model.features.js';
import { storeFeatures } from './store.features.js';

async function makeHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return homeOf(
    () => openLmdb({ folder: join(folder, 'made', 'by', 'it') }),
    () => rm(folder, { recursive: true }),
  );
}

describe('the embedded store', () => {
  storeFeatures(makeHome);
  listingFeatures(makeHome);
  modelFeatures(makeHome, { runs: 60 });

  it('is nobody else’s, so that what was read stays true', async () => {
    const home = await makeHome();
    expect((await home.open()).shared).to.equal(false);
    await home.remove();
  });
});
