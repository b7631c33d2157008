import { expect } from 'chai';
import type { Listed, Reading, Store } from '../../src/store/port.js';
import { RANGE } from '../../src/store/revisions.js';
import { change, commitOne, create, creation, loadExisting, placeIn, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

async function allOf(reading: Reading): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  for await (const page of reading.pages()) all.push(...page);
  reading.close();
  return all;
}

/** The behaviour of every store towards who reads all of it. */
export function readAllFeatures(makeHome: MakeHome): void {
  describe('a reading of all documents', () => {
    let home: Home;
    let store: Store;
    beforeEach(async () => {
      home = await makeHome();
      store = await home.open();
    });
    afterEach(() => home.remove());

    it('has each with all that is stored of it, of every kind, in the order of their ids', async () => {
      const place = { order: '1', tags: 's1\nrx' };
      await create(store, 'k/t/placed', { place, rare: '{"a":"ü"}', wakeAt: 7 });
      await create(store, 'k/t/queued', { queue: 'q', wakeAt: 9 });
      await create(store, 'a/t/long', { frequent: JSON.stringify('x'.repeat(40_000)), unindexed: true });
      await store.commit(Array.from({ length: 450 }, (_, i) => creation(`m/t/${1_000 + i}`)));
      await store.keepTime(1_234);
      const reading = await store.readAll();
      expect(reading.keptTime).to.equal(1_234);
      expect(reading.reserved).to.be.at.least(Math.floor((await store.nextRevision(0)) / RANGE));
      const all = await allOf(reading);
      const ids = all.map(({ id }) => id);
      expect(ids).to.have.length(453);
      expect(ids).to.deep.equal(ids.toSorted());
      for (const { id, ...stored } of all) {
        const loaded = await loadExisting(store, id);
        const placed = loaded.place === undefined ? loaded : { ...loaded, place: placeIn(loaded) };
        expect(stored).to.deep.equal(placed);
      }
    });

    it('has the kinds first that must be, in their order, if the store is shared', async () => {
      const ids = ['a/t/1', 'b/t/1', 'b/t/2', 'b0/t/1', 'c/t/1', 'd/t/1'];
      await store.commit(ids.map((id) => creation(id)));
      const found = (await allOf(await store.readAll(['c', 'none', 'b']))).map(({ id }) => id);
      const first = ['c/t/1', 'b/t/1', 'b/t/2', 'a/t/1', 'b0/t/1', 'd/t/1'];
      expect(found).to.deep.equal(store.shared ? first : ids);
    });

    it('shows one moment of a store that is not shared, and each document as committed of another', async () => {
      const ids = Array.from({ length: 600 }, (_, i) => `k/t/${1_000 + i}`);
      await store.commit(ids.map((id) => creation(id)));
      const reading = await store.readAll();
      const pages = reading.pages();
      const first = (await pages.next()).value!;
      const last = ids.at(-1)!;
      await commitOne(store, change(last, await loadExisting(store, last), { frequent: '"new"' }));
      await commitOne(store, removal(ids[500]!, await loadExisting(store, ids[500]!)));
      await create(store, 'z/t/new');
      const all = [...first];
      for await (const page of pages) all.push(...page);
      reading.close();
      const rest = store.shared ? [...ids.filter((id) => id !== ids[500]), 'z/t/new'] : ids;
      expect(all.map(({ id }) => id)).to.deep.equal(rest);
      expect(all.find(({ id }) => id === last)!.frequent).to.equal(store.shared ? '"new"' : '{}');
      expect(await allOf(await store.readAll())).to.have.length(600);
    });
  });
}
