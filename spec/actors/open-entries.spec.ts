import { expect } from 'chai';
import { memoryStore, type MemoryStore } from './stage/memory-store.js';
import { idOf, nodes, START } from './stage/nodes.js';
import type { TallyContext } from './stage/tally.js';

const RETRY_MS = 9_000;
const MINUTE = 60_000;
const MEGABYTE = 1_000_000;

/** Characters of the texts in the commits of a store. */
function written({ calls }: MemoryStore): number {
  const texts = calls.flat().flatMap(({ next }) => [next?.frequent ?? '', next?.rare ?? '']);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

describe('an outbox entry that stays open', () => {
  const start = nodes();

  for (const shared of [false, true]) {
    it(`writes nothing of its document for a minute in a store that is ${shared ? 'shared' : 'one node’s'}`, async () => {
      const store = memoryStore({ shared });
      const clock = { now: START };
      const options = { store, clock, limits: { sweepMs: 1 } };
      const node = start({ ...options, carry: () => new Promise(() => {}) });
      await node.ask('a', { type: 'note', text: 'n'.repeat(MEGABYTE / 2) });
      await node.ask('a', { type: 'post', parcel: 'p'.repeat(MEGABYTE / 2) });
      if (shared) start({ ...options, carry: () => new Promise(() => {}) });
      const before = { ...store.documents.get(idOf('a'))! };
      store.calls.length = 0;
      for (let passed = 0; passed < MINUTE; passed += 250) {
        clock.now += 250;
        await sweeps(store, 2);
      }
      const { wakeAt, frequent, rare } = store.documents.get(idOf('a'))!;
      expect([frequent === before.frequent, rare === before.rare], 'the texts are the same').to.deep.equal([
        true,
        true,
      ]);
      expect(wakeAt!, 'the next wake-up is ahead').to.be.within(clock.now, clock.now + RETRY_MS);
      expect(written(store)).to.equal(0);
      // On two nodes, the second one loses and finds the moved time.
      const commits = store.calls.flat().length;
      expect(commits).to.be.within(6, shared ? 14 : 7);
    });
  }

  it('is performed by one of two nodes at each wake-up', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    let runs = 0;
    const carry = () => {
      runs += 1;
      return Promise.reject(new Error('the road is closed'));
    };
    const options = { store, clock, carry, limits: { sweepMs: 1 } };
    await start(options).ask('a', { type: 'post', parcel: 'p' });
    start(options);
    for (let wakeUps = 1; wakeUps <= 5; wakeUps += 1) {
      clock.now += RETRY_MS;
      await sweeps(store, 6);
      expect(runs).to.equal(1 + wakeUps);
    }
  });

  it('stays open if an event of another node comes at the same time: neither commit is lost', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const carry = () => Promise.reject(new Error('the road is closed'));
    const [left, right] = [start({ store, clock, carry }), start({ store, clock, carry })];
    await left.ask('a', { type: 'post', parcel: 'p' });
    await right.look('a');
    clock.now += RETRY_MS;
    await Promise.all([left.ask('a', { type: 'wake' }), right.ask('a', { type: 'add', amount: 7 })]);
    const { wakeAt, frequent } = store.documents.get(idOf('a'))!;
    const { count, outbox } = JSON.parse(frequent) as TallyContext;
    expect([count, outbox.map(({ id }) => id)]).to.deep.equal([7, ['p']]);
    expect(wakeAt).to.equal(clock.now + RETRY_MS);
  });
});

/** Waits for so many more sweeps of the store. */
async function sweeps(store: MemoryStore, count: number): Promise<void> {
  while (store.sweeps.size > 0) await store.sweeps.next();
  for (let i = 0; i < count; i += 1) await store.sweeps.next();
}
