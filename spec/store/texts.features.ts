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

  it('keeps an empty cold text, also as a replacement of another one', async () => {
    const first = await create(store, id, { cold: '{}' });
    expect((await store.load(id))!.cold).to.equal('{}');
    await store.commit([change(id, first, { cold: 'rules' })]);
    const second = (await store.load(id))!;
    expect(second.cold).to.equal('rules');
    await store.commit([change(id, second, { cold: '{}' })]);
    expect((await store.load(id))!.cold).to.equal('{}');
  });

  it('lists documents without their cold texts if it is asked to', async () => {
    await create(store, id, { hot: 'window', cold: 'rules' });
    const query = { kind: 'server', limit: 10 };
    const texts = async (hotOnly: boolean) =>
      (await store.list({ ...query, hotOnly })).items.map(({ hot, cold }) => [hot, cold]);
    expect(await texts(true)).to.deep.equal([['window', '{}']]);
    expect(await texts(false)).to.deep.equal([['window', 'rules']]);
  });

  it('keeps the cold text if a commit has none', async () => {
    const first = await create(store, id, { cold: 'rules' });
    await commitOne(store, change(id, first, { hot: 'window' }));
    await commitOne(store, change(id, await loadExisting(store, id), { state: 'firing' }));
    expect(await store.load(id)).to.include({ revision: 3, hot: 'window', state: 'firing', cold: 'rules' });
  });

  for (const [what, length] of [
    ['short', 10],
    ['long', 1_000_000],
  ] as const) {
    it(`moves the wake-up of a document with a ${what} text without its texts`, async () => {
      const first = await create(store, id, { wakeAt: 5, hot: 'h'.repeat(length), cold: 'rules' });
      expect(await commitOne(store, change(id, first, { hot: undefined, wakeAt: 9 }))).to.equal('won');
      const moved = { ...first, revision: 2, wakeAt: 9 };
      const found = await store.load(id);
      expect(found?.hot === moved.hot, 'the hot text is the same').to.equal(true);
      expect({ ...found, hot: '' }).to.deep.equal({ ...moved, hot: '' });
      expect([await store.due(8, 10), await store.due(9, 10)]).to.deep.equal([[], [id]]);
      const { items } = await store.outline({ kind: 'server', limit: 10 });
      expect(items).to.deep.equal([{ id, revision: 2, version: 1, state: 'idle', wakeAt: 9 }]);
      expect(await commitOne(store, change(id, first, { hot: undefined, wakeAt: 12 }))).to.equal('lost');
      expect(await commitOne(store, change(id, moved, { hot: 'new' }))).to.equal('won');
      expect(await store.load(id)).to.deep.equal({ ...moved, revision: 3, hot: 'new' });
    });
  }

  it('keeps a text that becomes long, short and long again, and deletes it with its document', async () => {
    const texts = ['s', 'l'.repeat(100_000), 't', 'm'.repeat(100_000)];
    let stored = await create(store, id, { hot: 'first' });
    for (const hot of texts) {
      expect(await commitOne(store, change(id, stored, { hot }))).to.equal('won');
      stored = await loadExisting(store, id);
      expect(stored.hot === hot, hot.slice(0, 1)).to.equal(true);
    }
    expect(await commitOne(store, removal(id, stored))).to.equal('won');
    expect((await create(store, id, { hot: 'new' })).hot).to.equal('new');
  });
}
