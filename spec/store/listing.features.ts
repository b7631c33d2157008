import { expect } from 'chai';
import type { ListQuery, Store } from '../../src/store/port.js';
import { change, commitAll, commitOne, create, creation, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Ids that a careless range, pattern or field name confuses. */
const AWKWARD = [
  'server/a/x',
  'server/a/xy',
  'server/a/x/y',
  'server/a/x-y',
  'server/a-b/x',
  'server/a0/x',
  'server/ab/x',
  'server/ab/$set',
  'server/ab/a.b.c',
  'server/ab/$where: 1',
  'server/ab/[x]*?{}"\'\\',
  'server/ab/ÿ',
  'server/ab/\uffee',
  'server/ab/😀',
  'server/ab/\u0001\u0004\u001f\u007f',
  `server/ab/${'\u0003'.repeat(80)}`,
  `server/long/${'ü'.repeat(490)}`,
  'server2/a/x',
  'server-x/a/x',
  'serve/a/x',
  'entity/a/urn:ngsi-ld:Thing:1',
];

/** The behaviour of every store towards listings: by kind, tenant and state, page by page, and by time. */
export function listingFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  const ids = async (query: Omit<ListQuery, 'limit'>, limit = 100): Promise<string[]> =>
    (await store.list({ ...query, limit })).items.map((document) => document.id);

  for (const unindexed of [false, true]) {
    describe(`with awkward names${unindexed ? ', one of two states being unindexed' : ''}`, () => {
      beforeEach(async () => {
        const outcomes = await commitAll(
          store,
          AWKWARD.map((id, i) =>
            creation(
              id,
              i % 2 === 0 ? { frequent: id, state: 'even', unindexed } : { frequent: id, state: 'odd.$' },
            ),
          ),
        );
        expect(outcomes).to.deep.equal(AWKWARD.map(() => 'won'));
      });

      it('loads and changes each', async () => {
        for (const id of AWKWARD) {
          const stored = await loadExisting(store, id);
          expect(stored.frequent).to.equal(id);
          expect(await commitOne(store, change(id, stored, { frequent: `${id}$` })), id).to.equal('won');
          expect((await loadExisting(store, id)).frequent).to.equal(`${id}$`);
        }
      });

      it('lists a kind, and none with the same beginning, in the order of its ids’ UTF-8', async () => {
        const expected = AWKWARD.filter((id) => id.startsWith('server/')).toSorted(bytewise);
        expect(await ids({ kind: 'server' })).to.deep.equal(expected);
        expect(expected.indexOf('server/ab/\uffee')).to.be.below(expected.indexOf('server/ab/😀'));
      });

      for (const tenant of ['a', 'a-b', 'ab', 'a0', 'long', 'none']) {
        it(`lists tenant ${tenant}, and none with the same beginning`, async () => {
          const expected = AWKWARD.filter((id) => id.startsWith(`server/${tenant}/`)).toSorted(bytewise);
          expect(await ids({ kind: 'server', tenant })).to.deep.equal(expected);
        });
      }

      it('lists by state, and by state and tenant', async () => {
        const odd = AWKWARD.filter((_, i) => i % 2 === 1).toSorted(bytewise);
        const all = odd.filter((id) => id.startsWith('server/'));
        expect(await ids({ kind: 'server', state: 'odd.$' })).to.deep.equal(all);
        const ofTenant = all.filter((id) => id.startsWith('server/ab/'));
        expect(ofTenant).to.have.length.above(2);
        expect(await ids({ kind: 'server', tenant: 'ab', state: 'odd.$' })).to.deep.equal(ofTenant);
        expect(await ids({ kind: 'server', state: 'odd' })).to.deep.equal([]);
      });

      for (const query of [
        { kind: 'server' },
        { kind: 'server', tenant: 'ab' },
        { kind: 'server', state: 'even' },
        { kind: 'server', tenant: 'ab', state: 'even' },
      ]) {
        it(`walks the pages of ${Object.keys(query).join(' and ')}`, async () => {
          const walked: string[] = [];
          for (let pages = 0; pages < AWKWARD.length; pages += 1) {
            const page = await ids({ ...query, after: walked.at(-1) }, 2);
            if (page.length === 0) break;
            walked.push(...page);
            expect(page.length).to.be.at.most(2);
          }
          expect(walked).to.have.length.above(2);
          expect(walked).to.deep.equal(await ids(query));
        });
      }

      it('goes on behind a document that is deleted meanwhile', async () => {
        const all = await ids({ kind: 'server' });
        const [, second] = all;
        await commitOne(store, removal(second!, await loadExisting(store, second!)));
        expect(await ids({ kind: 'server', after: second }, 3)).to.deep.equal(all.slice(2, 5));
      });
    });
  }

  it('lists whole documents', async () => {
    const stored = await create(store, 'k/t/a', {
      version: 4,
      state: 's',
      wakeAt: 3,
      frequent: 'H',
      rare: 'C',
    });
    const expected = [{ ...stored, id: 'k/t/a' }];
    expect((await store.list({ kind: 'k', limit: 1 })).items).to.deep.equal(expected);
    expect((await store.list({ kind: 'k', state: 's', limit: 1 })).items).to.deep.equal(expected);
  });

  it('outlines documents without their texts, in the same pages', async () => {
    const state = 'ü'.repeat(128);
    const fields = { version: Number.MAX_SAFE_INTEGER, state, wakeAt: Number.MAX_SAFE_INTEGER };
    for (const name of ['a', 'b', 'c'])
      await create(store, `k/t/${name}`, { ...fields, frequent: 'ß'.repeat(500) });
    const { version, wakeAt } = fields;
    const shown = (name: string) => ({ id: `k/t/${name}`, revision: 1, version, state, wakeAt });
    for (const query of [{ kind: 'k' }, { kind: 'k', tenant: 't' }, { kind: 'k', state }]) {
      const first = await store.outline({ ...query, limit: 2 });
      expect(first).to.deep.equal({ items: [shown('a'), shown('b')], more: true });
      const second = await store.outline({ ...query, limit: 2, after: 'k/t/b' });
      expect(second).to.deep.equal({ items: [shown('c')], more: false });
    }
    await commitOne(store, change('k/t/c', await loadExisting(store, 'k/t/c'), { wakeAt: undefined }));
    const { items } = await store.outline({ kind: 'k', limit: 2, after: 'k/t/b' });
    expect(items).to.deep.equal([{ ...shown('c'), revision: 2, wakeAt: undefined }]);
  });

  it('ends a page before its limit once its texts are large, and says that there is more', async () => {
    const large = { frequent: 'h'.repeat(1_500_000), rare: 'c'.repeat(1_000_000) };
    for (const name of ['a', 'b', 'c', 'd']) await create(store, `k/t/${name}`, large);
    for (const query of [{ kind: 'k' }, { kind: 'k', state: 'idle' }]) {
      const first = await store.list({ ...query, limit: 100 });
      expect([first.items.map(({ id }) => id), first.more]).to.deep.equal([['k/t/a', 'k/t/b'], true]);
      const second = await store.list({ ...query, limit: 100, after: 'k/t/b' });
      expect([second.items.map(({ id }) => id), second.more]).to.deep.equal([['k/t/c', 'k/t/d'], false]);
      expect((await store.outline({ ...query, limit: 100 })).items).to.have.length(4);
    }
  });

  it('finds nothing after an id behind all ids of a query', async () => {
    await create(store, 'k/t/a');
    for (const after of ['l', 'k/u/a', 'k/t0', 'zzz/t/a']) {
      for (const query of [
        { kind: 'k', tenant: 't' },
        { kind: 'k', tenant: 't', state: 'idle' },
      ]) {
        const nothing = { items: [], more: false };
        expect(await store.list({ ...query, after, limit: 10 })).to.deep.equal(nothing);
        expect(await store.outline({ ...query, after, limit: 10 })).to.deep.equal(nothing);
      }
    }
  });

  it('finds a document by its present state only', async () => {
    const first = await create(store, 'k/t/a', { state: 'one' });
    await commitOne(store, change('k/t/a', first, { state: 'two' }));
    expect(await ids({ kind: 'k', state: 'one' })).to.deep.equal([]);
    expect(await ids({ kind: 'k', state: 'two' })).to.deep.equal(['k/t/a']);
    await commitOne(store, removal('k/t/a', await loadExisting(store, 'k/t/a')));
    expect(await ids({ kind: 'k', state: 'two' })).to.deep.equal([]);
  });

  it('finds a document by an unindexed state, from the first one on and while it is in that state', async () => {
    const unindexed = { state: 'unindexed', unindexed: true };
    const first = await create(store, 'k/t/a', unindexed);
    expect(await ids({ kind: 'k', state: 'unindexed' })).to.deep.equal(['k/t/a']);
    await commitOne(store, change('k/t/a', first, { state: 'other' }));
    expect(await ids({ kind: 'k', state: 'unindexed' })).to.deep.equal([]);
    expect(await ids({ kind: 'k', state: 'other' })).to.deep.equal(['k/t/a']);
    await commitOne(store, change('k/t/a', await loadExisting(store, 'k/t/a'), unindexed));
    expect(await ids({ kind: 'k', state: 'unindexed' })).to.deep.equal(['k/t/a']);
    expect(await ids({ kind: 'k', state: 'other' })).to.deep.equal([]);
  });

  it('finds by a state that has become unindexed the documents from before, also after it is opened again', async () => {
    await create(store, 'k/t/a', { state: 'unindexed' });
    await create(store, 'k/t/c', { state: 'unindexed', unindexed: true });
    await create(store, 'kk/t/b', { state: 'unindexed' });
    await store.close();
    store = await home.open();
    await create(store, 'k/t/b', { state: 'unindexed', unindexed: true });
    expect(await ids({ kind: 'k', state: 'unindexed' })).to.deep.equal(['k/t/a', 'k/t/b', 'k/t/c']);
    expect(await ids({ kind: 'kk', state: 'unindexed' })).to.deep.equal(['kk/t/b']);
  });

  it('finds few documents in an unindexed state among many in other states', async () => {
    const name = (n: number): string => `k/t/${String(n).padStart(5, '0')}`;
    const isUnindexed = (n: number): boolean => n % 700 === 3;
    const all = Array.from({ length: 2_500 }, (_, n) =>
      creation(name(n), isUnindexed(n) ? { state: 'unindexed', unindexed: true } : { state: 'failed' }),
    );
    expect(new Set(await commitAll(store, all))).to.deep.equal(new Set(['won']));
    const unindexed = [3, 703, 1_403, 2_103].map(name);
    expect(await ids({ kind: 'k', state: 'unindexed' })).to.deep.equal(unindexed);
    const page = await store.outline({ kind: 'k', state: 'unindexed', after: unindexed[0], limit: 2 });
    expect([page.items.map(({ id }) => id), page.more]).to.deep.equal([unindexed.slice(1, 3), true]);
    const last = await store.outline({ kind: 'k', state: 'unindexed', after: unindexed[2], limit: 2 });
    expect([last.items.map(({ id }) => id), last.more]).to.deep.equal([unindexed.slice(3), false]);
  });

  it('lists due documents, the longest overdue first, and no more than the limit', async () => {
    for (const [name, wakeAt] of [
      ['later', 1_000_000_000_001],
      ['now', 1_000_000_000_000],
      ['first', 0],
      ['second', 999],
      ['never', undefined],
    ] as const) {
      await create(store, `k/t/${name}`, { wakeAt });
    }
    expect(await store.due(1_000_000_000_000, 10)).to.deep.equal(['k/t/first', 'k/t/second', 'k/t/now']);
    expect(await store.due(1_000_000_000_000, 2)).to.deep.equal(['k/t/first', 'k/t/second']);
    expect(await store.due(998, 10)).to.deep.equal(['k/t/first']);
  });

  it('names the kinds that have documents', async () => {
    expect(await store.kinds()).to.deep.equal([]);
    const awkward = ['server', 'server-x', 'server0', 'serve', 'b', 'a'];
    for (const kind of awkward) {
      for (const name of ['1', '2', '3']) await create(store, `${kind}/t/${name}`);
    }
    for (const name of ['1', '2', '3'])
      await commitOne(store, removal(`b/t/${name}`, await loadExisting(store, `b/t/${name}`)));
    expect([...(await store.kinds())].toSorted()).to.deep.equal([
      'a',
      'serve',
      'server',
      'server-x',
      'server0',
    ]);
  });

  it('finds a document by its present time only', async () => {
    const first = await create(store, 'k/t/a', { wakeAt: 10 });
    await commitOne(store, change('k/t/a', first, { wakeAt: 20 }));
    expect(await store.due(19, 10)).to.deep.equal([]);
    expect(await store.due(20, 10)).to.deep.equal(['k/t/a']);
    const second = await loadExisting(store, 'k/t/a');
    await commitOne(store, change('k/t/a', second, { wakeAt: undefined }));
    expect(await store.due(20, 10)).to.deep.equal([]);
    const third = await loadExisting(store, 'k/t/a');
    await commitOne(store, change('k/t/a', third, { wakeAt: 30 }));
    await commitOne(store, removal('k/t/a', await loadExisting(store, 'k/t/a')));
    expect(await store.due(30, 10)).to.deep.equal([]);
  });
}
