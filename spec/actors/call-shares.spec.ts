import { expect } from 'chai';
import { createCommitter } from '../../src/actors/committer.js';
import type { ActorKind } from '../../src/actors/kind.js';
import { creation } from '../store/documents.js';
import { type HeldCommit, holdCommits, memoryStore } from './stage/memory-store.js';
import { type Queue, quiet } from './stage/queue.js';

describe('calls of a store that takes several at once', () => {
  let held: Queue<HeldCommit>;
  let stage: (tenant: string, count: number, kind?: Pick<ActorKind, 'name' | 'bulkStates'>) => void;

  const start = (inFlight: number): void => {
    const store = memoryStore({ shared: true });
    held = holdCommits(store);
    const committer = createCommitter(store, { batch: 256, bulk: 64, inFlight, waiting: 10_000 });
    let names = 0;
    stage = (tenant, count, kind = { name: 'server' }) => {
      for (let n = 0; n < count; n += 1) {
        names += 1;
        const commit = creation(`${kind.name}/${tenant}/n${names}`, { state: 's' });
        committer.stage(commit, () => undefined, tenant, kind);
      }
    };
  };
  /** The commits of a call: by tenant, their number. */
  const sharesOf = ({ batch }: HeldCommit): Record<string, number> => {
    const shares: Record<string, number> = {};
    for (const { id } of batch) shares[id.split('/')[1]!] = (shares[id.split('/')[1]!] ?? 0) + 1;
    return shares;
  };

  it('have the commits of a tenant with many apart from those of others with few', async () => {
    start(2);
    stage('busy', 30);
    stage('calm', 1);
    stage('other', 8);
    expect([sharesOf(await held.next()), sharesOf(await held.next())]).to.deep.equal([
      { calm: 1, other: 8 },
      { busy: 30 },
    ]);
  });

  it('have those of a tenant with nine apart, and share those of one with eight', async () => {
    start(2);
    stage('nine', 9);
    stage('eight', 8);
    stage('calm', 1);
    expect([sharesOf(await held.next()), sharesOf(await held.next())]).to.deep.equal([
      { eight: 8, calm: 1 },
      { nine: 9 },
    ]);
  });

  it('have those of a tenant apart of which bulk commits wait', async () => {
    start(2);
    stage('busy', 100, { name: 'server', bulkStates: ['s'] });
    expect(sharesOf(await held.next())).to.deep.equal({ busy: 64 });
    stage('busy', 1);
    stage('calm', 1);
    expect(sharesOf(await held.next())).to.deep.equal({ calm: 1 });
  });

  it('have the server of a tenant apart from its many deliveries', async () => {
    start(2);
    stage('busy', 30, { name: 'delivery' });
    stage('busy', 1);
    expect([sharesOf(await held.next()), sharesOf(await held.next())]).to.deep.equal([
      { busy: 1 },
      { busy: 30 },
    ]);
  });

  it('are one more while those of tenants with many use up their number, for tenants that have none', async () => {
    start(2);
    stage('busy', 30);
    const first = await held.next();
    stage('busy', 30);
    const second = await held.next();
    stage('busy', 1);
    await quiet();
    expect(held.size, 'calls of the tenant that has two').to.equal(0);
    stage('calm', 1);
    const third = await held.next();
    expect(sharesOf(third)).to.deep.equal({ calm: 1 });
    stage('calm', 1);
    stage('other', 1);
    await quiet();
    expect(held.size, 'calls beyond the one more').to.equal(0);
    third.pass();
    expect(sharesOf(await held.next())).to.deep.equal({ calm: 1, other: 1 });
    first.pass();
    second.pass();
    expect(sharesOf(await held.next())).to.deep.equal({ busy: 1 });
  });

  it('have tenants with few and with many in turns', async () => {
    start(2);
    stage('busy', 30);
    const busy = await held.next();
    stage('calm', 1);
    const calm = await held.next();
    stage('busy', 30);
    stage('calm', 1);
    calm.pass();
    const next = await held.next();
    expect(sharesOf(next)).to.deep.equal({ calm: 1 });
    stage('calm', 1);
    next.pass();
    expect(sharesOf(await held.next())).to.deep.equal({ busy: 30 });
    busy.pass();
    expect(sharesOf(await held.next())).to.deep.equal({ calm: 1 });
  });

  it('have those of a tenant with many in turns too while another call of it is slow', async () => {
    start(2);
    stage('busy', 30);
    await held.next();
    stage('busy', 30);
    const second = await held.next();
    stage('calm', 1);
    await held.next();
    stage('busy', 30);
    stage('other', 1);
    second.pass();
    const other = await held.next();
    expect(sharesOf(other)).to.deep.equal({ other: 1 });
    stage('another', 1);
    other.pass();
    expect(sharesOf(await held.next())).to.deep.equal({ busy: 30 });
  });

  it('have all commits of many tenants with few', async () => {
    start(2);
    for (let n = 0; n < 40; n += 1) stage(`t${n}`, 1);
    expect((await held.next()).batch).to.have.length(40);
    stage('other', 1);
    await held.next();
    stage('another', 1);
    await quiet();
    expect(held.size, 'calls beyond their number').to.equal(0);
  });

  it('are shared by all tenants if the store takes one at a time', async () => {
    start(1);
    stage('busy', 30);
    stage('calm', 1);
    expect(sharesOf(await held.next())).to.deep.equal({ busy: 30, calm: 1 });
  });
});
