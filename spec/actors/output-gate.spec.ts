import { expect } from 'chai';
import { StoreUnavailable } from '../../src/store/port.js';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { nodes, tally } from './stage/nodes.js';
import { observed, quiet, rejection } from './stage/queue.js';

describe('the output gate', () => {
  const start = nodes();

  it('answers no sender before the commit is acknowledged', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const told = start({ store }).ask('a', { type: 'add', amount: 1 });
    const answer = observed(told);
    const commit = await held.next();
    await quiet();
    expect(answer.settled).to.equal(false);
    commit.pass();
    expect(await told).to.equal(1);
  });

  it('holds back a refusal that was decided on an uncommitted change', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const told = node.ask('a', { type: 'add', amount: 1 });
    const refused = rejection(node.ask('a', { type: 'add', amount: 1, most: 1 }));
    const answer = observed(refused);
    const commit = await held.next();
    await quiet();
    expect(answer.settled).to.equal(false);
    commit.pass();
    await told;
    expect(await refused).to.have.property('code', 'conflict');
  });

  it('makes a read wait for the changes before it', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const told = node.ask('a', { type: 'add', amount: 2 });
    const commit = await held.next();
    const read = node.look('a');
    const answer = observed(read);
    await quiet();
    expect(answer.settled).to.equal(false);
    commit.pass();
    expect([await told, (await read)!.count]).to.deep.equal([3, 3]);
  });

  it('shows a peek only the last committed state', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const told = node.ask('a', { type: 'add', amount: 2 });
    const commit = await held.next();
    expect(node.actors.peek(tally('a'))).to.deep.include({ revision: FIRST, state: 'counting' });
    commit.pass();
    await told;
    expect(node.actors.peek(tally('a'))).to.have.property('revision', FIRST + 1);
  });

  it('performs no effect before the commit that caused it', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const told = node.ask('a', { type: 'post', parcel: 'p' });
    const commit = await held.next();
    await quiet();
    expect(node.carried.size).to.equal(0);
    commit.pass();
    expect((await node.carried.next()).id).to.equal('p');
    (await held.next()).pass();
    await told;
  });

  it('leaves no trace of a change that was not committed', async () => {
    const store = memoryStore();
    await start({ store }).ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const node = start({ store });
    const lost = rejection(node.ask('a', { type: 'add', amount: 5 }));
    const alsoLost = rejection(node.ask('a', { type: 'post', parcel: 'p' }));
    const beside = rejection(node.actors.read(tally('a')));
    (await held.next()).vanish(false);
    expect(await lost).to.be.instanceOf(StoreUnavailable);
    expect(await alsoLost).to.be.instanceOf(StoreUnavailable);
    expect(await beside).to.be.instanceOf(StoreUnavailable);
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
    expect(await node.look('a')).to.deep.include({ count: 1, outbox: [] });
    expect(node.carried.size).to.equal(0);
  });

  it('answers an event that changes nothing without a commit', async () => {
    const store = memoryStore();
    const node = start({ store });
    expect(await rejection(node.ask('a', { type: 'add', amount: 5, most: 1 }))).to.have.property(
      'code',
      'conflict',
    );
    expect(await node.look('a')).to.equal(undefined);
    expect(store.calls).to.deep.equal([]);
  });
});
