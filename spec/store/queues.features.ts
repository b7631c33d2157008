import { expect } from 'chai';
import { type Store, Unstorable } from '../../src/store/port.js';
import { change, commitAll, commitOne, create, creation, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

/** The behaviour of every store towards documents in queues. */
export function queuesFeatures(makeHome: MakeHome): void {
  let home: Home;
  let store: Store;

  beforeEach(async () => {
    home = await makeHome();
    store = await home.open();
  });
  afterEach(() => home.remove());

  it('finds a document in its present queue only, and not as due', async () => {
    const first = await create(store, 'k/t/a', { wakeAt: 10 });
    await commitOne(store, change('k/t/a', first, { queue: 'one' }));
    expect(await store.due(10, 10)).to.deep.equal([]);
    expect(await store.queues(undefined, 10)).to.deep.equal([{ queue: 'one', wakeAt: 10 }]);
    const second = await loadExisting(store, 'k/t/a');
    expect(second).to.include({ queue: 'one', wakeAt: 10 });
    await commitOne(store, change('k/t/a', second, { queue: 'two', wakeAt: 20 }));
    expect(await store.queues(undefined, 10)).to.deep.equal([{ queue: 'two', wakeAt: 20 }]);
    const third = await loadExisting(store, 'k/t/a');
    await commitOne(store, change('k/t/a', third, { queue: undefined, wakeAt: 30 }));
    expect(await store.queues(undefined, 10)).to.deep.equal([]);
    expect(await store.due(30, 10)).to.deep.equal(['k/t/a']);
    const fourth = await loadExisting(store, 'k/t/a');
    await commitOne(store, change('k/t/a', fourth, { queue: 'three' }));
    await commitOne(store, removal('k/t/a', await loadExisting(store, 'k/t/a')));
    expect(await store.queues(undefined, 10)).to.deep.equal([]);
    expect(await store.queued('three', 0, 10)).to.deep.equal([]);
  });

  it('walks the names of queues, however many documents wait in each', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `q${String(n).padStart(2, '0')}`);
    const long = `a/${'ü'.repeat(319)}`;
    const all = [long, ...names];
    const commits = all.flatMap((queue, n) =>
      Array.from({ length: 1 + (n % 4) * 20 }, (_, i) =>
        creation(`k/t/${n}-${i}${'x'.repeat(900)}`, { queue, wakeAt: 100 + i }),
      ),
    );
    expect(new Set(await commitAll(store, commits))).to.deep.equal(new Set(['won']));
    expect(await store.queues(undefined, 100)).to.deep.equal(all.map((queue) => ({ queue, wakeAt: 100 })));
    const page = await store.queues('q03', 3);
    expect(page.map(({ queue }) => queue)).to.deep.equal(['q04', 'q05', 'q06']);
    expect(await store.queues('q29', 3)).to.deep.equal([]);
    expect((await store.queued('q02', 150, 5)).map(({ wakeAt }) => wakeAt)).to.deep.equal([
      150, 151, 152, 153, 154,
    ]);
  });

  it('walks and reads queues whose documents were read before, as they are now', async () => {
    const LONG = 30;
    const longs = ['b', 'd', `d/${'ü'.repeat(319)}`, 'f'];
    const all = ['a', 'b', 'c', 'd', longs[2]!, 'e', 'f', 'g'];
    const id = (queue: string, n: number): string => `k/t/${all.indexOf(queue)}-${n}`;
    const fill = all.flatMap((queue) =>
      Array.from({ length: longs.includes(queue) ? LONG : 1 }, (_, n) =>
        creation(id(queue, n), { queue, wakeAt: 1_000 + n * n * 700 }),
      ),
    );
    expect(new Set(await commitAll(store, fill))).to.deep.equal(new Set(['won']));
    const times = async (queue: string, limit = LONG) =>
      (await store.queued(queue, 0, limit)).map(({ wakeAt }) => wakeAt);
    const expected = Array.from({ length: LONG }, (_, n) => 1_000 + n * n * 700);
    for (const queue of longs) expect(await times(queue)).to.deep.equal(expected);
    expect(await store.queues(undefined, 100)).to.deep.equal(all.map((queue) => ({ queue, wakeAt: 1_000 })));
    for (let n = 0; n < all.length; n += 1) {
      const names = (await store.queues(all[n], 2)).map(({ queue }) => queue);
      expect(names, `after ${n}`).to.deep.equal(all.slice(n + 1, n + 3));
    }
    await commitOne(store, creation('k/t/early', { queue: 'd', wakeAt: 3 }));
    for (let n = 0; n < LONG; n += 1)
      await commitOne(store, removal(id('f', n), await loadExisting(store, id('f', n))));
    expect(await store.queues('c', 100)).to.deep.equal([
      { queue: 'd', wakeAt: 3 },
      { queue: longs[2], wakeAt: 1_000 },
      { queue: 'e', wakeAt: 1_000 },
      { queue: 'g', wakeAt: 1_000 },
    ]);
    expect(await times('f')).to.deep.equal([]);
    for (const limit of [1, 25, LONG]) {
      expect(await times('d', limit)).to.deep.equal([3, ...expected].slice(0, limit));
    }
  });

  it('refuses the name of a queue that is too long', async () => {
    const refused = await commitOne(store, creation('k/t/a', { queue: 'q'.repeat(641) })).catch(
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(Unstorable);
  });
}
