import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import type { Store } from '../../src/store/port.js';
import { idOf, nodes, START, tally } from './stage/nodes.js';
import { rejection, until } from './stage/queue.js';

describe('the runtime on the embedded store', () => {
  const start = nodes();
  let folder: string;
  let store: Store;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mirzam-actors-'));
    store = await openLmdb({ folder });
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const reopen = async (): Promise<void> => {
    await store.close();
    store = await openLmdb({ folder });
  };

  it('continues after a restart', async () => {
    const before = start({ store });
    await Promise.all([1, 2, 3].map((amount) => before.ask('a', { type: 'add', amount })));
    await before.ask('a', { type: 'note', text: 'kept' });
    await reopen();
    const after = start({ store });
    expect(await after.look('a')).to.deep.include({ count: 6, added: [1, 2, 3], notes: ['kept'] });
    expect(await after.ask('a', { type: 'add', amount: 1 })).to.equal(7);
  });

  it('performs the open entries of an outbox at once, and once each', async () => {
    const before = start({ store, carry: () => new Promise(() => {}) });
    await before.ask('a', { type: 'post', parcel: 'p' });
    await reopen();
    const after = start({ store, limits: { sweepMs: 1 } });
    expect((await after.carried.next()).id).to.equal('p');
    await until(async () => (await store.load(idOf('a')))!.wakeAt === undefined);
    expect((await after.look('a'))!.outbox).to.deep.equal([]);
    expect(after.carried.size).to.equal(0);
  });

  it('keeps the times at which actors want to be woken', async () => {
    await start({ store }).ask('a', { type: 'sleep', until: START + 60_000 });
    await reopen();
    expect(await store.due(START + 59_999, 10)).to.deep.equal([]);
    const after = start({ store, clock: { now: START + 60_000 } });
    await until(async () => (await store.load(idOf('a')))!.wakeAt === undefined);
    expect(await after.look('a')).to.include({ wakes: 1, wakeAt: undefined });
  });

  it('deletes what is gone from its listings too', async () => {
    const node = start({ store });
    await node.ask('a', { type: 'sleep', until: START + 60_000 });
    await node.ask('a', { type: 'remove' });
    expect((await store.list({ kind: 'tally', limit: 10 })).items).to.deep.equal([]);
    expect(await store.due(START + 60_000, 10)).to.deep.equal([]);
  });

  it('lists an actor under the state it is in now only, a migrated one as well', async () => {
    const old = { version: 1, state: 'active', wakeAt: undefined, frequent: '{"total":7,"outbox":[]}' };
    const next = { ...old, rare: '{"remarks":"one"}' };
    await store.commit([
      { id: idOf('a'), expected: 0, revision: 1, commitId: 'x', next, previous: undefined },
    ]);
    await start({ store }).ask('a', { type: 'add', amount: 1 });
    const listed = async (state: string) =>
      (await store.list({ kind: 'tally', tenant: 'acme', state, limit: 10 })).items.map(({ id }) => id);
    expect([await listed('active'), await listed('counting')]).to.deep.equal([[], [idOf('a')]]);
  });

  it('lets an actor that the store cannot hold fail alone', async () => {
    const node = start({ store });
    const add = { type: 'add', now: START, amount: 1 };
    const [well, error] = await Promise.all([
      node.ask('a', { type: 'add', amount: 1 }),
      rejection(node.actors.ask(tally('x'.repeat(2_000)), add)),
    ]);
    expect([well, error.name]).to.deep.equal([1, 'Unstorable']);
  });
});
