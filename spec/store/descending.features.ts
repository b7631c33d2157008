import { expect } from 'chai';
import type { ListQuery, Store } from '../../src/store/port.js';
import { commitOne, create, creation, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

/** Ids at the edges of the ranges that the queries of these specs name, in ascending order of their UTF-8. */
const IDS = [
  'k-/t/a',
  'k/s/z',
  'k/t/',
  'k/t/a',
  'k/t/a/b',
  'k/t/ab',
  'k/t/b',
  'k/t/ÿ',
  'k/t/\uffee',
  'k/t/😀',
  'k/t-/a',
  'k/t0/a',
  'k/u/a',
  'k0/t/a',
].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** The behaviour of every store towards descending listings: they have what ascending ones have, the last id first. */
export function descendingFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  const listed = async (query: Omit<ListQuery, 'limit'>, limit = 100): Promise<readonly string[]> =>
    (await store.list({ ...query, descending: true, limit })).items.map(({ id }) => id);

  const state = (i: number): string => (i % 3 === 0 ? 'often' : 'seldom');
  const queries: readonly Omit<ListQuery, 'limit'>[] = [
    { kind: 'k' },
    { kind: 'k', tenant: 't' },
    { kind: 'k', state: 'often' },
    { kind: 'k', state: 'seldom' },
    { kind: 'k', tenant: 't', state: 'often' },
    { kind: 'k', tenant: 't', state: 'seldom' },
    { kind: 'k', tenant: 'none' },
  ];

  for (const unindexed of [false, true]) {
    describe(`in descending order${unindexed ? ', one of two states being unindexed' : ''}`, () => {
      beforeEach(async () => {
        await store.commit(
          IDS.map((id, i) => creation(id, { state: state(i), unindexed: unindexed && state(i) === 'often' })),
        );
      });

      for (const query of queries) {
        it(`lists the ids of ${JSON.stringify(query)}, the last one first`, async () => {
          const ascending = (await store.list({ ...query, limit: 100 })).items.map(({ id }) => id);
          expect(await listed(query)).to.deep.equal(ascending.toReversed());
          const outlines = await store.outline({ ...query, descending: true, limit: 100 });
          expect(outlines.items.map(({ id }) => id)).to.deep.equal(ascending.toReversed());
        });

        it(`walks the pages of ${JSON.stringify(query)}`, async () => {
          for (const limit of [1, 2, 3]) {
            const walked: string[] = [];
            for (let after: string | undefined; ;) {
              const page = await store.list({ ...query, descending: true, after, limit });
              const ids = page.items.map(({ id }) => id);
              const outline = await store.outline({ ...query, descending: true, after, limit });
              expect(outline.items.map(({ id }) => id)).to.deep.equal(ids);
              expect(outline.more).to.equal(page.more);
              walked.push(...ids);
              if (!page.more || ids.length === 0) break;
              after = ids.at(-1);
            }
            expect(walked).to.deep.equal(await listed(query));
          }
        });
      }

      it('starts below an id that does not exist, or exists no more', async () => {
        const inTenant = { kind: 'k', tenant: 't' };
        expect(await listed({ ...inTenant, after: 'k/t/ab0' }, 1)).to.deep.equal(['k/t/ab']);
        await commitOne(store, removal('k/t/ab', await loadExisting(store, 'k/t/ab')));
        expect(await listed({ ...inTenant, after: 'k/t/ab' }, 2)).to.deep.equal(['k/t/a/b', 'k/t/a']);
      });

      it('starts with the last id if the start is above all ids of the query, and finds nothing below them', async () => {
        const inTenant = { kind: 'k', tenant: 't' };
        for (const after of ['k/t0/a', 'k/u/a', 'l'])
          expect(await listed({ ...inTenant, after }, 1)).to.deep.equal(['k/t/😀']);
        for (const after of ['k/t/', 'k/s/z', 'a']) {
          const query = { ...inTenant, after, descending: true, limit: 10 };
          expect(await store.list(query)).to.deep.equal({ items: [], more: false });
          expect(await store.outline(query)).to.deep.equal({ items: [], more: false });
        }
      });
    });
  }

  it('finds few documents in an unindexed state among many in other states, the last one first', async () => {
    const name = (n: number): string => `k/t/${String(n).padStart(5, '0')}`;
    const all = Array.from({ length: 1_600 }, (_, n) =>
      creation(name(n), n % 700 === 3 ? { state: 'rare', unindexed: true } : { state: 'failed' }),
    );
    await store.commit(all);
    expect(await listed({ kind: 'k', state: 'rare' })).to.deep.equal([1_403, 703, 3].map(name));
    expect(await listed({ kind: 'k', state: 'rare', after: name(1_403) }, 1)).to.deep.equal([name(703)]);
  });

  it('ends a descending page before its limit once its texts are large', async () => {
    const large = { frequent: 'h'.repeat(1_500_000), rare: 'c'.repeat(1_000_000) };
    for (const name of ['a', 'b', 'c', 'd']) await create(store, `k/t/${name}`, large);
    for (const query of [{ kind: 'k' }, { kind: 'k', state: 'idle' }]) {
      const first = await store.list({ ...query, descending: true, limit: 100 });
      expect([first.items.map(({ id }) => id), first.more]).to.deep.equal([['k/t/d', 'k/t/c'], true]);
      const second = await store.list({ ...query, descending: true, limit: 100, after: 'k/t/c' });
      expect([second.items.map(({ id }) => id), second.more]).to.deep.equal([['k/t/b', 'k/t/a'], false]);
    }
  });
}
