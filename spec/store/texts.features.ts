import { expect } from 'chai';
import type { Store } from '../../src/store/port.js';
import { change, commitOne, create, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

/** The behaviour of every store towards the two texts of a document, which a commit can omit. */
export function textFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;
  const id = 'server/tenant/one';

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  it('keeps an empty rarely written text, also as a replacement of another one', async () => {
    const first = await create(store, id, { rare: '{}' });
    expect((await store.load(id))!.rare).to.equal('{}');
    await store.commit([change(id, first, { rare: 'rules' })]);
    const second = (await store.load(id))!;
    expect(second.rare).to.equal('rules');
    await store.commit([change(id, second, { rare: '{}' })]);
    expect((await store.load(id))!.rare).to.equal('{}');
  });

  it('lists documents without their rarely written texts if it is asked to', async () => {
    await create(store, id, { frequent: 'window', rare: 'rules' });
    const query = { kind: 'server', limit: 10 };
    const texts = async (frequentOnly: boolean) =>
      (await store.list({ ...query, frequentOnly })).items.map(({ frequent, rare }) => [frequent, rare]);
    expect(await texts(true)).to.deep.equal([['window', '{}']]);
    expect(await texts(false)).to.deep.equal([['window', 'rules']]);
  });

  it('keeps the rarely written text if a commit has none', async () => {
    const first = await create(store, id, { rare: 'rules' });
    await commitOne(store, change(id, first, { frequent: 'window' }));
    await commitOne(store, change(id, await loadExisting(store, id), { state: 'firing' }));
    expect(await store.load(id)).to.include({
      revision: 3,
      frequent: 'window',
      state: 'firing',
      rare: 'rules',
    });
  });

  for (const [what, length] of [
    ['short', 10],
    ['long', 1_000_000],
  ] as const) {
    it(`moves the wake-up of a document with a ${what} text without its texts`, async () => {
      const first = await create(store, id, { wakeAt: 5, frequent: 'h'.repeat(length), rare: 'rules' });
      expect(await commitOne(store, change(id, first, { frequent: undefined, wakeAt: 9 }))).to.equal('won');
      const moved = { ...first, revision: 2, wakeAt: 9 };
      const found = await store.load(id);
      expect(found?.frequent === moved.frequent, 'the frequently written text is the same').to.equal(true);
      expect({ ...found, frequent: '' }).to.deep.equal({ ...moved, frequent: '' });
      expect([await store.due(8, 10), await store.due(9, 10)]).to.deep.equal([[], [id]]);
      const { items } = await store.outline({ kind: 'server', limit: 10 });
      expect(items).to.deep.equal([{ id, revision: 2, version: 1, state: 'idle', wakeAt: 9 }]);
      expect(await commitOne(store, change(id, first, { frequent: undefined, wakeAt: 12 }))).to.equal('lost');
      expect(await commitOne(store, change(id, moved, { frequent: 'new' }))).to.equal('won');
      expect(await store.load(id)).to.deep.equal({ ...moved, revision: 3, frequent: 'new' });
    });
  }

  it('keeps a text that becomes long, short and long again, and deletes it with its document', async () => {
    const texts = ['s', 'l'.repeat(100_000), 't', 'm'.repeat(100_000)];
    let stored = await create(store, id, { frequent: 'first' });
    for (const frequent of texts) {
      expect(await commitOne(store, change(id, stored, { frequent }))).to.equal('won');
      stored = await loadExisting(store, id);
      expect(stored.frequent === frequent, frequent.slice(0, 1)).to.equal(true);
    }
    expect(await commitOne(store, removal(id, stored))).to.equal('won');
    expect((await create(store, id, { frequent: 'new' })).frequent).to.equal('new');
  });
}
