import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { change, create, creation, removal } from '../documents.js';
import { type Home, homeOf } from '../home.js';
import { countFeatures } from '../count.features.js';
import { descendingFeatures } from '../descending.features.js';
import { listingFeatures } from '../listing.features.js';
import { modelFeatures } from '../model.features.js';
import { orderedFeatures } from '../ordered.features.js';
import { queuesFeatures } from '../queues.features.js';
import { readAllFeatures } from '../read-all.features.js';
import { revisionFeatures } from '../revisions.features.js';
import { storeFeatures } from '../store.features.js';
import { textFeatures } from '../texts.features.js';
import { cases } from '../../cases.js';

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
  readAllFeatures(makeHome);
  modelFeatures(makeHome, { runs: cases(60, 20) });
  revisionFeatures(makeHome);

  it('lists a held moment, whatever is written, until its file has grown by 64 MiB', async () => {
    const home = await makeHome();
    const store = await home.open();
    const place = (order: string) => ({ order, tags: '' });
    const made = await create(store, 'k/t/a', { place: place('1'), frequent: 'x'.repeat(20_000), rare: 'R' });
    const moment = store.hold();
    const seen = async () => ({
      list: (await store.list({ kind: 'k', moment, limit: 9 })).items.map(({ id, frequent }) => [
        id,
        frequent.length,
      ]),
      state: (await store.list({ kind: 'k', state: 'idle', moment, limit: 9 })).items.map(({ id, rare }) => [
        id,
        rare,
      ]),
      ordered: (await store.ordered({ kind: 'k', from: '0', to: '9', moment, limit: 9 })).items.map(
        ({ order }) => order,
      ),
    });
    const held = { list: [['k/t/a', 20_000]], state: [['k/t/a', 'R']], ordered: ['1'] };
    expect(await seen()).to.deep.equal(held);
    expect(store.hold()).to.equal(moment);
    await store.commit([
      change('k/t/a', made, { place: place('2'), frequent: 'F', rare: 'S' }),
      creation('k/t/b'),
    ]);
    expect(await seen()).to.deep.equal(held);
    expect(store.hold()).not.to.equal(moment);
    const bulk = 'x'.repeat(8_000_000);
    for (let i = 0; i < 12; i += 1) await store.commit([creation(`large/t/${i}`, { frequent: bulk })]);
    const now = {
      list: [
        ['k/t/a', 1],
        ['k/t/b', 2],
      ],
      state: [
        ['k/t/a', 'S'],
        ['k/t/b', '{}'],
      ],
      ordered: ['2'],
    };
    await eventually(
      async () => ((await seen()).ordered[0] === '2' ? true : undefined),
      SOON_MS,
      () => 'the moment is still held',
    );
    expect(await seen()).to.deep.equal(now);
    await home.remove();
  });

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
