import { expect } from 'chai';
import { type Committer, createCommitter } from '../../src/actors/committer.js';
import type { Commit } from '../../src/store/port.js';
import { creation } from '../store/documents.js';
import { type HeldCommit, holdCommits, memoryStore, type MemoryStore } from './stage/memory-store.js';
import { type Queue, quiet, until } from './stage/queue.js';

const SERVER = { name: 'server' };
const DELIVERY = { name: 'delivery' };
/** A delivery that begins to wait. */
const WAITING = { ...DELIVERY, bulkStates: ['s'] };
const BULK = 16;

describe('commits to a state in which actors wait', () => {
  let store: MemoryStore;
  let held: Queue<HeldCommit>;
  let committer: Committer;
  let names: number;

  const start = (inFlight: number, clock?: () => number): void => {
    store = memoryStore({ shared: true });
    held = holdCommits(store);
    names = 0;
    committer = createCommitter(store, {
      batch: 256,
      bulk: BULK,
      inFlight,
      waiting: 10_000,
      ...(clock && { clock }),
    });
  };
  const stage = (
    kind: { readonly name: string; readonly bulkStates?: readonly string[] },
    tenant: string,
    count = 1,
  ): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () => {
        names += 1;
        const commit = creation(`${kind.name}/${tenant}/n${names}`, { state: 's' });
        return new Promise((resolve) => committer.stage(commit, resolve, tenant, kind));
      }),
    );
  const of = (batch: readonly Commit[], prefix: string): number =>
    batch.filter(({ id }) => id.startsWith(prefix)).length;

  it('go out in small calls, one at a time', async () => {
    start(2);
    void stage(WAITING, 'flood', 100);
    const first = await held.next();
    expect(first.batch).to.have.length(BULK);
    await quiet();
    expect(held.size, 'the other call stays free').to.equal(0);
    first.pass();
    expect((await held.next()).batch).to.have.length(BULK);
  });

  it('have a call of their own, for which no commit of others waits', async () => {
    start(2);
    void stage(WAITING, 'flood', 100);
    void stage(SERVER, 'calm', 3);
    const [first, second] = [await held.next(), await held.next()];
    const counts = [first, second].map(({ batch }) => [of(batch, 'delivery/'), of(batch, 'server/')]);
    expect(counts).to.have.deep.members([
      [BULK, 0],
      [0, 3],
    ]);
  });

  it('hold up no commit of others, and rest', async () => {
    start(2);
    void stage(WAITING, 'flood', 100);
    const bulk = await held.next();
    const begun = performance.now();
    void stage(SERVER, 'calm');
    void stage(DELIVERY, 'calm', 3);
    const other = await held.next();
    expect([other.batch.length, of(other.batch, 'delivery/calm')]).to.deep.equal([4, 3]);
    other.pass();
    await until(async () => performance.now() - begun > 50);
    bulk.pass();
    await quiet();
    expect(held.size).to.equal(0);
    void stage(SERVER, 'calm');
    const alone = await held.next();
    expect(alone.batch).to.have.length(1);
    const next = await held.next();
    expect(next.batch).to.have.length(BULK);
    expect(performance.now() - begun, 'call and rest').to.be.at.least(100);
  });

  for (const { title, took, rest } of [
    { title: 'rest twice as long as they took while others use the store', took: 50, rest: 100 },
    { title: 'rest for two seconds after a call that an outage held up', took: 30_000, rest: 2_000 },
  ]) {
    it(title, async () => {
      let now = 0;
      start(2, () => now);
      void stage(WAITING, 'flood', 100);
      void stage(SERVER, 'calm');
      const [first, second] = [await held.next(), await held.next()];
      now = took;
      first.pass();
      second.pass();
      await quiet();
      now = took + rest - 1;
      void stage(SERVER, 'calm');
      const alone = await held.next();
      expect(alone.batch).to.have.length(1);
      alone.pass();
      await quiet();
      expect(held.size).to.equal(0);
      now = took + rest;
      void stage(SERVER, 'calm');
      const sizes = [(await held.next()).batch.length, (await held.next()).batch.length];
      expect(sizes).to.have.members([BULK, 1]);
    });
  }

  it('do not rest while nobody else uses the store', async () => {
    let now = 0;
    start(2, () => now);
    void stage(WAITING, 'flood', 100);
    void stage(SERVER, 'calm');
    const [first, second] = [await held.next(), await held.next()];
    now = 50;
    first.pass();
    second.pass();
    await quiet();
    now = 150;
    // Nobody has used the store since the call before.
    void stage(WAITING, 'flood');
    for (let n = 0; n < 3; n += 1) {
      const { batch, pass } = await held.next();
      expect(batch).to.have.length(BULK);
      now += 50;
      pass();
    }
  });

  it('rest no longer once the service stops', async () => {
    let now = 0;
    start(2, () => now);
    const settled = stage(WAITING, 'flood', 2 * BULK);
    void stage(SERVER, 'calm');
    const [first, second] = [await held.next(), await held.next()];
    now = 30_000;
    first.pass();
    second.pass();
    await quiet();
    expect(held.size).to.equal(0);
    const end = committer.close();
    (await held.next()).pass();
    await Promise.all([end, settled]);
    expect(committer.pending).to.equal(0);
  });

  it('take part in the only call of a store that others keep busy', async () => {
    // Each call takes as long as the others. A pause of this process would make one rest longer than all calls.
    let now = 0;
    start(1, () => now);
    void stage(WAITING, 'flood', 100);
    void stage(SERVER, 'busy', 2_000);
    const sizes: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { batch, pass } = await held.next();
      sizes.push(of(batch, 'delivery/'));
      expect(batch).to.have.length(256);
      now += 1;
      pass();
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.within(2 * BULK, 4 * BULK);
  });

  it('are shared between tenants', async () => {
    start(1);
    void stage(WAITING, 'flood', 1_000);
    void stage(WAITING, 'other', 10);
    const first = await held.next();
    expect(of(first.batch, 'delivery/other')).to.be.at.least(BULK / 2);
  });

  it('are settled before the committer is closed', async () => {
    start(2);
    const staged = stage(WAITING, 'flood', 50);
    void stage(SERVER, 'calm');
    const closed = committer.close();
    for (let left = 51; left > 0;) {
      const { batch, pass } = await held.next();
      left -= batch.length;
      pass();
    }
    await Promise.all([staged, closed]);
    expect(committer.pending).to.equal(0);
  });
});

describe('the commits of one call', () => {
  it('are shared between the tenants of one kind if more wait than fit', async () => {
    const store = memoryStore({ shared: true });
    const held = holdCommits(store);
    const committer = createCommitter(store, { batch: 10, bulk: BULK, inFlight: 1, waiting: 10_000 });
    const stage = (tenant: string, n: number): void =>
      committer.stage(
        {
          id: `server/${tenant}/n${n}`,
          expected: 0,
          revision: n + 1,
          commitId: `${tenant}${n}`,
          next: { version: 1, state: 's', wakeAt: undefined, frequent: '{}', rare: '{}' },
          previous: undefined,
        },
        () => undefined,
        tenant,
        SERVER,
      );
    for (let n = 0; n < 1_000; n += 1) stage('flood', n);
    stage('calm', 0);
    const { batch } = await held.next();
    expect(batch.filter(({ id }) => id.startsWith('server/calm/'))).to.have.length(1);
  });
});
