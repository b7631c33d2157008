import { expect } from 'chai';
import { SeenLately } from '../../src/actors/seen-lately.js';
import { holdCommits, type MemoryStore, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, tally } from './stage/nodes.js';
import { tallyKind } from './stage/tally.js';

const LIMIT = 100;

describe('once as many actors as allowed are in memory', () => {
  const start = nodes();
  const names = (count: number, prefix: string): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const loadsOf = (store: MemoryStore, name: string): number =>
    store.loads.filter((id) => id === idOf(name)).length;

  /** Starts a node with as many actors as allowed. */
  const full = async (options: Partial<Parameters<typeof start>[0]> = {}) => {
    const store = memoryStore();
    const node = start({ limits: { actors: LIMIT }, ...options, store });
    for (const name of names(LIMIT, 'early')) await node.ask(name, { type: 'add', amount: 1 });
    return { store, node };
  };

  it('one that is used once leaves, and those that were there stay', async () => {
    const { store, node } = await full();
    const before = node.actors.stats();
    for (const name of names(500, 'once'))
      expect(await node.ask(name, { type: 'add', amount: 3 })).to.equal(3);
    const { resident, characters } = node.actors.stats();
    expect([resident, characters]).to.deep.equal([before.resident, before.characters]);
    for (const name of names(90, 'early'))
      expect(await node.ask(name, { type: 'add', amount: 1 })).to.equal(2);
    expect(names(90, 'early').map((name) => loadsOf(store, name))).to.deep.equal(Array<number>(90).fill(1));
  });

  it('one that is used again soon stays from then on', async () => {
    const { store, node } = await full();
    for (const amount of [1, 2, 3, 4])
      expect(await node.ask('again', { type: 'add', amount: 1 })).to.equal(amount);
    expect(loadsOf(store, 'again')).to.equal(2);
    expect(node.actors.stats().resident).to.be.within(LIMIT - 10, LIMIT);
  });

  it('there is one copy of one that is busy, which stays if more messages wait', async () => {
    const { store, node } = await full();
    const held = holdCommits(store);
    const first = node.ask('late', { type: 'add', amount: 1 });
    const commit = await held.next();
    const second = node.ask('late', { type: 'add', amount: 1 });
    commit.pass();
    expect(await first).to.equal(1);
    (await held.next()).pass();
    expect(await second).to.equal(2);
    const third = node.ask('late', { type: 'add', amount: 1 });
    (await held.next()).pass();
    expect(await third).to.equal(3);
    expect(loadsOf(store, 'late')).to.equal(1);
  });

  it('one whose effect runs stays', async () => {
    const { store, node } = await full({ carry: () => new Promise(() => {}) });
    await node.ask('performing', { type: 'post', parcel: 'p' });
    await node.look('performing');
    expect(loadsOf(store, 'performing')).to.equal(1);
  });

  it('one that knows more than its document stays', async () => {
    const kind = { ...tallyKind(() => new Promise(() => {})), lazilyWritten: ['notes'] };
    const { store, node } = await full({ kinds: [kind] });
    await start({ store, kinds: [kind] }).ask('noted', { type: 'add', amount: 1 });
    const { length } = store.calls;
    await node.ask('noted', { type: 'note', text: 'in memory alone' });
    expect(store.calls).to.have.length(length);
    expect((await node.look('noted'))!.notes).to.deep.equal(['in memory alone']);
  });

  it('one whose event fails can be used again', async () => {
    const { node } = await full();
    for (let time = 0; time < 3; time += 1) {
      const refused = await node
        .ask('full', { type: 'add', amount: 5, most: 4 })
        .catch((error: unknown) => error);
      expect(refused).to.include({ code: 'conflict' });
    }
    expect(await node.ask('full', { type: 'add', amount: 4, most: 4 })).to.equal(4);
  });

  it('thousands that are busy at once are each decided once', async () => {
    const { node } = await full();
    const busy = names(1_000, 'busy');
    const replies = Promise.all(busy.map((name) => node.ask(name, { type: 'add', amount: 1 })));
    expect(node.actors.stats().resident).to.be.at.least(1_000);
    expect(node.actors.stats().waiting).to.be.at.least(1);
    expect(new Set(await replies)).to.deep.equal(new Set([1]));
    expect(node.actors.stats().resident).to.be.within(LIMIT - 10, LIMIT);
  });

  it('none leaves after one use if the store is shared', async () => {
    const store = memoryStore({ shared: true });
    const node = start({ store, limits: { actors: LIMIT } });
    for (const name of names(LIMIT, 'early')) await node.ask(name, { type: 'add', amount: 1 });
    await node.ask('late', { type: 'add', amount: 1 });
    expect(node.actors.peek(tally('late'))).to.not.equal(undefined);
  });
});

describe('a memory of ids', () => {
  it('knows an id that was added, until others have its place', () => {
    const seen = new SeenLately(1_000);
    expect(seen.add('server/t/a')).to.equal(false);
    expect(seen.add('server/t/a')).to.equal(true);
    const others = Array.from({ length: 100_000 }, (_, i) => seen.add(`server/t/${i}`));
    expect(others.filter((known) => known)).to.deep.equal([]);
    expect(seen.add('server/t/a')).to.equal(false);
  });

  it('knows most of as many ids as it is made for', () => {
    const seen = new SeenLately(1_000);
    const ids = Array.from({ length: 1_000 }, (_, i) => `server/t/${i}`);
    for (const id of ids) seen.add(id);
    expect(ids.filter((id) => seen.add(id)).length).to.be.at.least(500);
  });
});
