import { expect } from 'chai';
import type { ListQuery, Store } from '../../src/store/port.js';
import { change, commitAll, commitOne, create, creation, loadExisting } from './documents.js';
import type { Home, MakeHome } from './home.js';

const STORED: readonly (readonly [id: string, state: string])[] = [
  ['k/a/1', 'even'],
  ['k/a/2', 'odd'],
  ['k/a-b/1', 'even'],
  ['k/ab/1', 'even'],
  ['k/ab/1/x', 'odd'],
  ['k/ab/😀', 'even'],
  ['k2/ab/1', 'even'],
];

/** The behaviour of every store that counts documents. */
export function countFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  const queries: readonly (readonly [Omit<ListQuery, 'limit'>, number])[] = [
    [{ kind: 'k' }, 6],
    [{ kind: 'k', tenant: 'ab' }, 3],
    [{ kind: 'k', state: 'even' }, 4],
    [{ kind: 'k', tenant: 'ab', state: 'even' }, 2],
    [{ kind: 'k', after: 'k/ab/1' }, 2],
    [{ kind: 'k', after: 'k/zz/1' }, 0],
    [{ kind: 'k', state: 'eve' }, 0],
    [{ kind: 'none' }, 0],
  ];

  for (const unindexed of [false, true]) {
    it(`counts what a listing finds, up to the limit${unindexed ? ', also in an unindexed state' : ''}`, async () => {
      const all = STORED.map(([id, state]) =>
        creation(id, { state, unindexed: unindexed && state === 'even' }),
      );
      expect(new Set(await commitAll(store, all))).to.deep.equal(new Set(['won']));
      for (const [query, expected] of queries) {
        const named = JSON.stringify(query);
        for (const limit of [1, 2, 3, 4, 6, 100])
          expect(await store.count({ ...query, limit }), `${named} ${limit}`).to.equal(
            Math.min(limit, expected),
          );
        expect((await store.list({ ...query, limit: 100 })).items, named).to.have.length(expected);
      }
    });
  }

  it('counts a document in its present state only', async () => {
    await create(store, 'k/t/a', { state: 'one' });
    await commitOne(store, change('k/t/a', await loadExisting(store, 'k/t/a'), { state: 'two' }));
    const counts = ['one', 'two'].map((state) => store.count({ kind: 'k', state, limit: 10 }));
    expect(await Promise.all(counts)).to.deep.equal([0, 1]);
  });
}
