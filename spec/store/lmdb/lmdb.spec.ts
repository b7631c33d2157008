import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { create, creation, removal } from '../documents.js';
import { type Home, homeOf } from '../home.js';
import { countFeatures } from '../count.features.js';
import { descendingFeatures } from '../descending.features.js';
import { listingFeatures } from '../listing.features.js';
import { modelFeatures } from '../model.features.js';
import { orderedFeatures } from '../ordered.features.js';
import { queuesFeatures } from '../queues.features.js';
import { revisionFeatures } from '../revisions.features.js';
import { storeFeatures } from '../store.features.js';
import { textFeatures } from '../texts.features.js';

async function makeHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return homeOf(
    () => openLmdb({ folder: join(folder, 'made', 'by', 'it') }),
    () => rm(folder, { recursive: true }),
  );
}

describe('the embedded store', () => {
  storeFeatures(makeHome);
  textFeatures(makeHome);
  listingFeatures(makeHome);
  countFeatures(makeHome);
  descendingFeatures(makeHome);
  orderedFeatures(makeHome);
  queuesFeatures(makeHome);
  modelFeatures(makeHome, { runs: 60 });
  revisionFeatures(makeHome);

  it('lists the documents of one moment, however many commits are in flight', async () => {
    const home = await makeHome();
    const store = await home.open();
    const busy = (ms: number): void => {
      for (const until = performance.now() + ms; performance.now() < until;);
    };
    for (let round = 0; round < 40; round += 1) {
      for (const state of ['unindexed', 'other']) {
        const fields = { state, unindexed: state === 'unindexed' };
        const made = await create(store, `k/t/${state} ${round}`, fields);
        const changes = [store.commit([removal(`k/t/${state} ${round}`, made)])];
        busy(2);
        changes.push(store.commit([creation(`k/t/${state} ${round} again`, fields)]));
        const listings = [{}, { state }].flatMap((query) => [
          store.list({ kind: 'k', limit: 1_000, ...query }),
          store.outline({ kind: 'k', limit: 1_000, ...query }),
        ]);
        busy(2);
        changes.push(store.commit([creation(`k/t/${state} ${round} more`, fields)]));
        for (const { items } of await Promise.all(listings)) expect(items.length).to.be.greaterThan(0);
        await Promise.all(changes);
      }
    }
    await home.remove();
  });

  it('is not shared: a copy in memory stays current', async () => {
    const home = await makeHome();
    expect((await home.open()).shared).to.equal(false);
    await home.remove();
  });
});
