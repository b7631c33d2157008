import { expect } from 'chai';
import { StoreUnavailable } from '../../src/store/port.js';
import { SOON_MS } from '../faults/stage/eventually.js';
import { memoryStore, type MemoryStore } from './stage/memory-store.js';
import { idOf, type Node, nodes, START } from './stage/nodes.js';
import { quiet } from './stage/queue.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

for (const shared of [false, true]) {
  describe(`a clock that is set back, on ${shared ? 'a shared' : 'an unshared'} store`, () => {
    const start = nodes();
    const limits = { sweepMs: 1 };
    const clockAt = (now: number) => ({ now });

    it('has a wake-up come after its own time at most', async () => {
      const store = memoryStore({ shared });
      const node = start({ store, limits });
      await node.ask('a', { type: 'sleep', until: START + MINUTE });
      node.clock.now = START - HOUR;
      await until(() => wakeAtOf(store, 'a') === START - HOUR + MINUTE);
      node.clock.now += MINUTE - 1;
      await sweeps(store, 3);
      expect(await node.look('a')).to.include({ wakes: 0 });
      node.clock.now += 1;
      await sweeps(store, 3);
      expect(await node.look('a')).to.include({ wakes: 1, wakeAt: undefined });
    });

    it('has each planned wake-up counted once, however often the actors are woken for it', async () => {
      const store = memoryStore({ shared });
      const clock = clockAt(START);
      const both = [start({ store, clock, limits }), start({ store, clock, limits })];
      const node = both[0]!;
      await node.ask('a', { type: 'sleep', until: START + MINUTE });
      await node.ask('b', { type: 'add', amount: 1 });
      clock.now = START - HOUR;
      await until(() => wakeAtOf(store, 'a') === START - HOUR + MINUTE);
      await sweeps(store, 10);
      await start({ store, clock, limits }).look('a');
      clock.now += 10_000;
      await sweeps(store, 10);
      expect(wakeAtOf(store, 'a')).to.equal(START - HOUR + MINUTE);
      expect(store.documents.get(idOf('b'))!.wakeAt).to.equal(undefined);
    });

    it('may be set back while no node runs', async () => {
      const store = memoryStore({ shared });
      const before = start({ store, limits, clock: clockAt(START) });
      await before.ask('a', { type: 'sleep', until: START + 30 * DAY });
      await until(async () => (await store.keptTime()) === START);
      await before.actors.close();

      const clock = clockAt(START - 365 * DAY);
      const node = start({ store, limits, clock });
      await until(() => wakeAtOf(store, 'a') === clock.now + 30 * DAY);
      await until(async () => (await store.keptTime()) === clock.now);
      expect(await node.look('a')).to.include({ wakes: 0 });
    });

    it('is noticed again at the next start, if the node stops before it has woken all', async () => {
      const store = memoryStore({ shared });
      const clock = clockAt(START);
      const before = start({ store, limits, clock });
      await before.ask('a', { type: 'sleep', until: START + MINUTE });
      await until(async () => (await store.keptTime()) === START);
      store.between.commit = () => Promise.reject(new StoreUnavailable('gone'));
      clock.now = START - HOUR;
      await sweeps(store, 3);
      await before.actors.close();
      expect([await store.keptTime(), wakeAtOf(store, 'a')]).to.deep.equal([START, START + MINUTE]);

      store.between.commit = (_batch, apply) => Promise.resolve(apply());
      start({ store, limits, clock });
      await until(() => wakeAtOf(store, 'a') === START - HOUR + MINUTE);
    });

    it('is noticed again at the next start, if the node is stopped while it wakes them', async () => {
      const store = memoryStore({ shared });
      const clock = clockAt(START);
      const before = start({ store, limits, clock });
      const names = Array.from({ length: 100 }, (_, i) => `a${i}`);
      await Promise.all(names.map((name) => before.ask(name, { type: 'sleep', until: START + MINUTE })));
      await until(async () => (await store.keptTime()) === START);
      let closing: Promise<void> | undefined;
      store.between.commit = (_batch, apply) => {
        closing ??= before.actors.close();
        return Promise.resolve(apply());
      };
      clock.now = START - HOUR;
      await until(() => closing !== undefined);
      await closing;
      expect(names.some((name) => wakeAtOf(store, name) === START + MINUTE)).to.equal(true);
      expect(await store.keptTime()).to.equal(START);
      start({ store, limits, clock });
      await until(() => names.every((name) => wakeAtOf(store, name) === START - HOUR + MINUTE));
    });

    it('has the actors woken once the store answers again', async () => {
      const store = memoryStore({ shared });
      const node = start({ store, limits });
      await node.ask('a', { type: 'sleep', until: START + MINUTE });
      store.between.commit = () => Promise.reject(new StoreUnavailable('gone'));
      node.clock.now = START - HOUR;
      expect((await node.faults.next()).what).to.equal('sweep');
      store.between.commit = (_batch, apply) => Promise.resolve(apply());
      await until(() => wakeAtOf(store, 'a') === START - HOUR + MINUTE);
    });

    it('has an open outbox entry performed again after its own time at most', async () => {
      const store = memoryStore({ shared });
      const clock = clockAt(START);
      let tries = 0;
      const node = start({
        store,
        clock,
        limits,
        carry: () => {
          tries += 1;
          return Promise.reject(new Error('not today'));
        },
      });
      await node.ask('a', { type: 'post', parcel: 'p' });
      await until(() => tries === 1);
      clock.now = START - HOUR;
      await until(() => (wakeAtOf(store, 'a') ?? Infinity) <= clock.now + 9_000);
      const before = tries;
      clock.now += 9_000;
      await until(() => tries === before + 1);
    });

    it('and again and again has a wake-up come at last', async () => {
      const store = memoryStore({ shared });
      const node = start({ store, limits });
      await node.ask('a', { type: 'sleep', until: START + MINUTE });
      for (let i = 1; i <= 5; i += 1) {
        node.clock.now -= HOUR;
        const expected = node.clock.now + MINUTE;
        await until(() => wakeAtOf(store, 'a') === expected);
        node.clock.now += 30_000;
      }
      node.clock.now += 30_000;
      await until(async () => (await node.look('a'))!.wakes === 1);
    });

    it('by some ms, as NTP does, costs nothing', async () => {
      const store = memoryStore({ shared });
      const node = start({ store, limits });
      let outlines = 0;
      const outline = store.outline.bind(store);
      store.outline = (query) => {
        outlines += 1;
        return outline(query);
      };
      for (const name of ['a', 'b', 'c']) {
        await node.ask(name, { type: 'sleep', until: START + MINUTE });
        await node.ask(name, { type: 'add', amount: 1 });
      }
      await sweeps(store, 5);
      const before = store.calls.length;
      for (const by of [1, 20, 300, 600]) {
        node.clock.now = START - by;
        await sweeps(store, 3);
        for (const name of ['a', 'b', 'c']) await node.ask(name, { type: 'add', amount: 1 });
      }
      expect(outlines).to.equal(0);
      expect(store.calls.length - before).to.equal(4 * 3);
      expect(wakeAtOf(store, 'a')).to.equal(START + MINUTE);
    });

    it('changes nothing that was planned in its new time', async () => {
      const store = memoryStore({ shared });
      const node = start({ store, limits });
      node.clock.now = START - HOUR;
      await sweeps(store, 3);
      await node.ask('a', { type: 'sleep', until: START + DAY });
      node.clock.now = START - HOUR + 2_000;
      await node.ask('b', { type: 'sleep', until: START + DAY });
      await sweeps(store, 2);
      node.clock.now = START - HOUR;
      await sweeps(store, 5);
      // b was planned two seconds later.
      await until(() => wakeAtOf(store, 'b') === START + DAY - 2_000);
      expect(wakeAtOf(store, 'a')).to.equal(START + DAY);
    });
  });
}

describe('the time in the store', () => {
  const start = nodes();
  const limits = { sweepMs: 1 };

  it('is kept once a minute while there are commits', async () => {
    const store = memoryStore();
    const kept: number[] = [];
    const keepTime = store.keepTime.bind(store);
    store.keepTime = (at) => {
      kept.push(at);
      return keepTime(at);
    };
    const node: Node = start({ store, limits });
    await sweeps(store, 5);
    expect(kept).to.deep.equal([]);
    await node.ask('a', { type: 'add', amount: 1 });
    await until(() => kept.length === 1);
    for (let s = 1; s <= 120; s += 1) {
      node.clock.now = START + s * 1_000;
      await node.ask('a', { type: 'add', amount: 1 });
      await sweeps(store, 1);
    }
    await until(() => kept.length === 3);
    node.clock.now += HOUR;
    await sweeps(store, 5);
    expect(kept).to.deep.equal([START, START + MINUTE, START + 2 * MINUTE]);
  });

  it('of a node whose clock is some seconds ahead wakes nobody', async () => {
    const store = memoryStore({ shared: true });
    const ahead = start({ store, limits, clock: { now: START + 8_000 } });
    await ahead.ask('a', { type: 'sleep', until: START + DAY });
    await until(async () => (await store.keptTime()) === START + 8_000);
    store.outline = () => Promise.reject(new Error('nobody is to be listed'));
    const node = start({ store, limits });
    await sweeps(store, 5);
    expect(node.faults.size).to.equal(0);
  });
});

function wakeAtOf(store: MemoryStore, name: string): number | undefined {
  return store.documents.get(idOf(name))!.wakeAt;
}

/** Lets that many sweeps begin, and what follows from them end. */
async function sweeps(store: MemoryStore, count: number): Promise<void> {
  while (store.sweeps.size > 0) await store.sweeps.next();
  for (let i = 0; i < count; i += 1) await store.sweeps.next();
  await quiet();
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`still does not hold: ${String(holds)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
