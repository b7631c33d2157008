import { expect } from 'chai';
import type { Commit, OrderedQuery, Place, Store, TallyQuery } from '../../src/store/port.js';
import { change, commitOne, create, creation, loadExisting, placeIn, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

const place = (order: string | undefined, tags = ''): Place => ({ order, tags });
const ALL = { kind: 'k', from: '!', to: '~' };

/** The behaviour of every store towards the places of documents. */
export function orderedFeatures(makeHome: MakeHome): void {
  describe('places', () => {
    let home: Home;
    let store: Store;
    beforeEach(async () => {
      home = await makeHome();
      store = await home.open();
    });
    afterEach(() => home.remove());

    const listed = async (query: Partial<OrderedQuery> = {}): Promise<readonly string[]> =>
      (await store.ordered({ ...ALL, limit: 100, ...query })).items.map(({ order, id }) => `${order} ${id}`);

    it('are loaded with a document, kept by commits without one, and replaced by others', async () => {
      const first = await create(store, 'k/t/a', { place: place('1', 'one\ntwo') });
      expect(placeIn(first)).to.deep.equal(place('1', 'one\ntwo'));
      await commitOne(store, change('k/t/a', first, { frequent: 'F', state: 'other', wakeAt: 5 }));
      const second = await loadExisting(store, 'k/t/a');
      expect(placeIn(second)).to.deep.equal(placeIn(first));
      await commitOne(store, change('k/t/a', second, { place: place('0', 'three'), frequent: undefined }));
      await store.close();
      store = await home.open();
      const third = await loadExisting(store, 'k/t/a');
      expect([placeIn(third), third.frequent]).to.deep.equal([place('0', 'three'), 'F']);
      expect(await listed()).to.deep.equal(['0 k/t/a']);
      await commitOne(store, removal('k/t/a', third));
      expect(await listed()).to.deep.equal([]);
      expect((await create(store, 'k/t/a')).place).to.equal(undefined);
    });

    it('list documents in their order, then by id, those of a kind or of a tenant in it', async () => {
      const placed = {
        'k/t/b': '2',
        'k/t/a': '2',
        'k/u/c': '1',
        'k/t/d': '10',
        'kk/t/e': '0',
        'k/tt/f': '3',
      };
      for (const [id, order] of Object.entries(placed))
        await create(store, id, { place: place(order), rare: id });
      await create(store, 'k/t/none');
      expect(await listed()).to.deep.equal(['1 k/u/c', '10 k/t/d', '2 k/t/a', '2 k/t/b', '3 k/tt/f']);
      expect(await listed({ tenant: 't' })).to.deep.equal(['10 k/t/d', '2 k/t/a', '2 k/t/b']);
      expect(await listed({ from: '10', to: '2' })).to.deep.equal(['10 k/t/d']);
      const { items } = await store.ordered({ ...ALL, tenant: 'u', limit: 1 });
      const { place: _, ...stored } = await loadExisting(store, 'k/u/c');
      expect(items).to.deep.equal([{ ...stored, id: 'k/u/c', order: '1' }]);
    });

    it('without an order are in no list, and come back to it', async () => {
      await create(store, 'k/t/a', { place: place('1', 's1') });
      for (const [next, expected] of [
        [place(undefined, 's1'), []],
        [place(undefined, 's2'), []],
        [place('2', 's2'), ['2 k/t/a']],
        [place('2', 's3'), ['2 k/t/a']],
      ] as const) {
        await commitOne(store, change('k/t/a', await loadExisting(store, 'k/t/a'), { place: next }));
        expect(placeIn(await loadExisting(store, 'k/t/a'))).to.deep.equal(next);
        expect(await listed()).to.deep.equal(expected);
        expect((await store.tally({ kind: 'k' })).map(({ tag }) => tag)).to.deep.equal([next.tags]);
      }
    });

    it('stay as they are if a commit on top of an older revision would change them', async () => {
      const counted = async () =>
        (await store.tally({ kind: 'k' })).map(({ tag, count }) => `${tag} ${count}`);
      const old = await create(store, 'k/t/a', { place: place('1', 'one') });
      const present = await loadExisting(store, 'k/t/a');
      await commitOne(store, change('k/t/a', present, { place: place('2', 'two') }));
      expect(await commitOne(store, change('k/t/a', old, { place: place('3', 'three') }))).to.equal('lost');
      expect(await commitOne(store, removal('k/t/a', old))).to.equal('lost');
      expect([await listed(), await counted()]).to.deep.equal([['2 k/t/a'], ['two 1']]);
      await commitOne(store, removal('k/t/a', await loadExisting(store, 'k/t/a')));
      expect(await commitOne(store, change('k/t/a', old, { place: place('3', 'three') }))).to.equal('lost');
      expect([await listed(), await counted()]).to.deep.equal([[], []]);
    });

    it('list pages, each document once', async () => {
      const ids = Array.from({ length: 30 }, (_, i) => `k/t${i % 3}/${String(i).padStart(2, '0')}`);
      await store.commit(ids.map((id, i) => creation(id, { place: place(String(i % 4)) })));
      for (const query of [{}, { tenant: 't1' }, { from: '1', to: '3' }]) {
        const walked: string[] = [];
        let after: OrderedQuery['after'];
        for (;;) {
          const { items, more } = await store.ordered({ ...ALL, ...query, after, limit: 4 });
          walked.push(...items.map(({ order, id }) => `${order} ${id}`));
          if (!more) break;
          after = items.at(-1)!;
        }
        expect(walked).to.deep.equal(await listed(query));
        expect(walked).to.deep.equal(walked.toSorted());
      }
      expect(await listed({ from: '2', after: { order: '0', id: 'k/t0/00' } })).to.have.length(14);
    });

    it('change nothing if the commit comes with an old revision', async () => {
      const first = await create(store, 'k/t/a', { place: place('1') });
      await commitOne(store, change('k/t/a', first, { place: place('2') }));
      expect(await commitOne(store, change('k/t/a', first, { place: place('3') }))).to.equal('lost');
      expect(await listed()).to.deep.equal(['2 k/t/a']);
    });

    it('count documents by the lines of their tags, of a kind or of a tenant in it', async () => {
      const tallied = async (prefix: string, tenant?: string) => {
        const tallies = await store.tally({ kind: 'k', tenant, prefix });
        return Object.fromEntries(tallies.map(({ tag, count }) => [tag, count]));
      };
      expect(await tallied('s')).to.deep.equal({});
      const a = await create(store, 'k/t/a', { place: place('1', 's1\nrx') });
      await create(store, 'k/t/b', { place: place('1', 's1\nry') });
      await create(store, 'k/u/c', { place: place('1', 's2\nrx') });
      await create(store, 'kk/t/d', { place: place('1', 's1') });
      await create(store, 'k/t/none');
      await create(store, 'k/t/empty', { place: place('1', '') });
      const seen = async () => [
        await tallied('s'),
        await tallied('s', 't'),
        await tallied('r'),
        await tallied('r', 'u'),
      ];
      expect(await seen()).to.deep.equal([{ s1: 2, s2: 1 }, { s1: 2 }, { rx: 2, ry: 1 }, { rx: 1 }]);
      expect((await store.tally({ kind: 'k', prefix: 'r' })).find(({ tag }) => tag === 'ry')!.id).to.equal(
        'k/t/b',
      );
      await commitOne(store, change('k/t/a', a, { place: place('1', 's2\nry') }));
      const changed = [{ s1: 1, s2: 2 }, { s1: 1, s2: 1 }, { rx: 1, ry: 2 }, { rx: 1 }];
      expect(await seen()).to.deep.equal(changed);
      expect(await commitOne(store, change('k/t/a', a, { place: place('1', 's9') }))).to.equal('lost');
      await commitOne(store, change('k/t/a', await loadExisting(store, 'k/t/a'), { frequent: 'F' }));
      expect(await seen()).to.deep.equal(changed);
      await store.close();
      store = await home.open();
      expect(await seen()).to.deep.equal(changed);
      await commitOne(store, removal('k/t/a', await loadExisting(store, 'k/t/a')));
      expect(await seen()).to.deep.equal([{ s1: 1, s2: 1 }, { s1: 1 }, { rx: 1, ry: 1 }, { rx: 1 }]);
    });

    it('list the lines of tags in ascending order, those that begin so, after one, at most so many', async () => {
      const tags = ['R1a', 'R1b', 'R1c', 'R2a', 's1'];
      await store.commit(tags.map((tag) => creation(`k/t/${tag}`, { place: place(undefined, tag) })));
      const tallied = async (query: Omit<TallyQuery, 'kind'>) =>
        (await store.tally({ kind: 'k', tenant: 't', ...query })).map(({ tag, id }) => {
          expect(id).to.equal(`k/t/${tag}`);
          return tag;
        });
      expect(await tallied({})).to.deep.equal(tags);
      expect(await tallied({ prefix: 'R1' })).to.deep.equal(['R1a', 'R1b', 'R1c']);
      expect(await tallied({ prefix: 'R1', after: 'R1a', limit: 1 })).to.deep.equal(['R1b']);
      expect(await tallied({ prefix: 'R1', after: 'R1b', limit: 5 })).to.deep.equal(['R1c']);
      expect(await tallied({ prefix: 'R', after: 'R1c' })).to.deep.equal(['R2a']);
    });

    it('are counted as they are stored, whatever wins and loses at once', async () => {
      const ids = ['k/t/a', 'k/t/b', 'k/u/a', 'k/u/b'];
      const recounted = async (tenant?: string) => {
        const counts: Record<string, number> = {};
        for (const id of ids) {
          const tags = (await store.load(id))?.place?.tags.split('\n') ?? [];
          if (tenant === undefined || id.startsWith(`k/${tenant}/`))
            for (const tag of tags) counts[tag] = (counts[tag] ?? 0) + 1;
        }
        return counts;
      };
      const counted = async (tenant?: string) =>
        Object.fromEntries((await store.tally({ kind: 'k', tenant })).map(({ tag, count }) => [tag, count]));
      await store.commit(ids.map((id) => creation(id, { place: place('1', 's0') })));
      let step = 0;
      for (let round = 0; round < 25; round += 1) {
        const documents = await Promise.all(ids.map((id) => store.load(id)));
        // Twice of one revision, in one call and in two: of each document one commit wins.
        const batch = (): Commit[] =>
          documents.flatMap((stored, i) =>
            [0, 1].map(() => {
              step += 1;
              const next = { place: place('1', `s${step % 3}\nr${step % 5}`) };
              if (stored === undefined) return creation(ids[i]!, next, 1_000_000 * round + step);
              return step % 7 === 0 ? removal(ids[i]!, stored) : change(ids[i]!, stored, next);
            }),
          );
        await Promise.all([store.commit(batch()), store.commit(batch())]);
        for (const tenant of [undefined, 't', 'u'])
          expect(await counted(tenant)).to.deep.equal(await recounted(tenant));
      }
      await store.close();
      store = await home.open();
      expect(await counted()).to.deep.equal(await recounted());
    });

    for (const order of ['', 'a\0b', 'ü', 'x'.repeat(65)]) {
      it(`refuse the order ${JSON.stringify(order)}`, async () => {
        const [refused] = await store.commit([creation('k/t/a', { place: place(order) })]);
        expect((refused as Error).name).to.equal('Unstorable');
      });
    }
  });
}
