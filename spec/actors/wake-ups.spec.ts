import { expect } from 'chai';
import { FIRST, holdCommits, memoryStore, type MemoryStore } from './stage/memory-store.js';
import { idOf, nodes, START } from './stage/nodes.js';
import { Queue, quiet } from './stage/queue.js';

const POSTPONE_MS = 60_000;
/** More actors than one page of a sweep. */
const MANY = 450;

describe('wake-ups', () => {
  const start = nodes();
  const limits = { sweepMs: 1, postponeMs: POSTPONE_MS };

  it('come at their time and not before', async () => {
    const store = memoryStore();
    const node = start({ store, limits });
    await node.ask('a', { type: 'sleep', until: START + 1_000 });
    node.clock.now = START + 999;
    await sweeps(store, 3);
    expect((await node.look('a'))!.wakes).to.equal(0);
    node.clock.now = START + 1_000;
    await sweeps(store, 3);
    expect(await node.look('a')).to.include({ wakes: 1, wakeAt: undefined });
  });

  it('come in whole milliseconds, whatever the machine’s time is', async () => {
    const store = memoryStore();
    await start({ store }).ask('a', { type: 'sleep', until: START + 0.5 });
    expect(store.documents.get(idOf('a'))!.wakeAt).to.equal(START + 1);
  });

  it('of a dead node are carried on by another, its outbox as well', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const dead = start({ store, clock, carry: () => new Promise(() => {}) });
    await dead.ask('a', { type: 'sleep', until: START + 1_000 });
    await dead.ask('b', { type: 'post', parcel: 'p' });
    const living = start({ store, clock, limits });
    await sweeps(store, 2);
    expect(living.carried.size).to.equal(0);
    clock.now += 9_000;
    expect((await living.carried.next()).id).to.equal('p');
    await sweeps(store, 3);
    expect(await living.look('a')).to.include({ wakes: 1 });
    expect(await living.look('b')).to.deep.include({ outbox: [] });
  });

  it('skip the documents of kinds that this node does not have', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'sleep', until: START + 1_000 });
    const stranger = start({ store, kinds: [], limits, clock: { now: START + 2_000 } });
    await sweeps(store, 5);
    expect(store.documents.get(idOf('a'))).to.have.property('revision', FIRST);
    expect([stranger.faults.size, stranger.actors.stats().resident]).to.deep.equal([0, 0]);
  });

  for (const onWake of ['nothing', 'throw'] as const) {
    it(`are postponed if the machine ${onWake === 'nothing' ? 'ignores them' : 'throws on them'}`, async () => {
      const store = memoryStore();
      const node = start({ store, limits });
      await node.ask('a', { type: 'sleep', until: START + 1_000, onWake });
      node.clock.now = START + 1_000;
      await sweeps(store, 5);
      expect(store.documents.get(idOf('a'))).to.include({
        revision: FIRST + 1,
        wakeAt: START + 1_000 + POSTPONE_MS,
      });
      expect(node.faults.size).to.equal(onWake === 'throw' ? 1 : 0);
      node.clock.now += POSTPONE_MS;
      await sweeps(store, 5);
      expect(store.documents.get(idOf('a'))).to.have.property('revision', FIRST + 2);
    });
  }

  it('reach all actors in one sweep, however many are due at once', async () => {
    const store = memoryStore();
    const before = start({ store });
    for (let i = 0; i < MANY; i += 1) await before.ask(`n${i}`, { type: 'sleep', until: START + 1_000 });
    await drained(store);
    const node = start({ store, clock: { now: START + 1_000 } });
    const found = [await store.sweeps.next(), await store.sweeps.next(), await store.sweeps.next()];
    expect(found.map((ids) => ids.length)).to.deep.equal([200, 200, MANY - 400]);
    for (const i of [0, 250, MANY - 1]) expect((await node.look(`n${i}`))!.wakes).to.equal(1);
  });

  it('are not asked for again at once if the store returns the same ones', async () => {
    const store = memoryStore();
    const ids = Array.from({ length: 200 }, (_, i) => idOf(`n${i}`));
    let asked = 0;
    store.due = () => {
      asked += 1;
      return asked > 20 ? Promise.reject(new Error('asked too often')) : Promise.resolve(ids);
    };
    start({ store });
    await quiet();
    expect(asked).to.be.within(1, 2);
  });

  it('are not delayed by any number of documents that this node cannot use', async () => {
    const store = memoryStore();
    for (let i = 0; i < MANY; i += 1) {
      const document = { revision: 1, state: 'empty', wakeAt: START, rare: '{}', commitId: 'x' };
      store.documents.set(`other/acme/n${i}`, { ...document, version: 1, frequent: '{}' });
      store.documents.set(idOf(`n${i}`), { ...document, version: 99, frequent: '{}' });
    }
    const dead = start({ store, carry: () => new Promise(() => {}) });
    await dead.ask('late', { type: 'post', parcel: 'p' });
    const node = start({ store, limits, clock: { now: START + 9_000 } });
    expect((await node.carried.next()).id).to.equal('p');
    await sweeps(store, 5);
    expect(node.faults.size).to.equal(MANY);
  });

  it('are not asked for again while the store does not answer, and come once it does', async () => {
    const store = memoryStore();
    const node = start({ store, limits });
    await node.ask('a', { type: 'sleep', until: START + 1_000 });
    const held = holdCommits(store);
    node.clock.now += 1_000;
    const first = await held.next();
    await drained(store);
    await quiet();
    expect([store.sweeps.size, held.size]).to.deep.equal([0, 0]);
    first.vanish(false);
    (await held.next()).pass();
    await sweeps(store, 2);
    expect(store.documents.get(idOf('a'))).to.include({ revision: FIRST + 1, wakeAt: undefined });
  });

  it('go on after a failed sweep, which is a fault', async () => {
    const store = memoryStore();
    const due = store.due.bind(store);
    store.due = () => {
      store.due = due;
      return Promise.reject(new Error('the index is gone'));
    };
    const node = start({ store, limits });
    const fault = await node.faults.next();
    expect([fault.what, (fault.error as Error).message]).to.deep.equal(['sweep', 'the index is gone']);
    await sweeps(store, 2);
  });

  it('end with the node, even one that is closed in the middle of a sweep', async () => {
    const store = memoryStore();
    const asked = new Queue<() => void>();
    store.due = () => new Promise((resolve) => asked.push(() => resolve([])));
    const node = start({ store, limits });
    const answer = await asked.next();
    const closed = node.actors.close();
    answer();
    await closed;
    const elsewhere = memoryStore();
    start({ store: elsewhere, limits });
    await sweeps(elsewhere, 10);
    expect(asked.size).to.equal(0);
  });
});

async function drained(store: MemoryStore): Promise<void> {
  while (store.sweeps.size > 0) await store.sweeps.next();
}

/** Waits for so many more sweeps of the store. */
async function sweeps(store: MemoryStore, count: number): Promise<void> {
  await drained(store);
  for (let i = 0; i < count; i += 1) await store.sweeps.next();
}
