import { expect } from 'chai';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, START, tally } from './stage/nodes.js';
import { observed, quiet, rejection } from './stage/queue.js';

describe('a read of an actor', () => {
  const start = nodes();

  it('resolves with its revision, state, context and wake-up as committed', async () => {
    const node = start({ store: memoryStore() });
    await node.ask('a', { type: 'add', amount: 2 });
    await node.ask('a', { type: 'sleep', until: START + 5_000 });
    const view = await node.actors.read<{ count: number }>(tally('a'));
    expect(view).to.deep.include({ revision: FIRST + 1, state: 'counting', wakeAt: START + 5_000 });
    expect(view!.context.count).to.equal(2);
    expect(node.actors.peek(tally('a'))).to.deep.equal(view);
  });

  it('resolves with undefined if nothing was ever committed', async () => {
    const node = start({ store: memoryStore() });
    expect(await node.actors.read(tally('a'))).to.equal(undefined);
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
  });

  it('never loads from the store as a peek', async () => {
    const store = memoryStore();
    await start({ store }).ask('a', { type: 'add', amount: 2 });
    const node = start({ store });
    store.loads.length = 0;
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
    await quiet();
    expect(store.loads).to.deep.equal([]);
    await node.actors.read(tally('a'));
    expect(node.actors.peek(tally('a'))).to.have.property('revision', FIRST);
  });

  it('is refused for an unknown kind', async () => {
    const { actors } = start({ store: memoryStore() });
    const nobody = { kind: 'nobody', tenant: 'acme', name: 'a' };
    expect((await rejection(actors.read(nobody))).message).to.equal('no actors of kind nobody');
    expect((await rejection(actors.ask(nobody, { type: 'add', now: 0 }))).message).to.equal(
      'no actors of kind nobody',
    );
    expect(actors.peek(nobody)).to.equal(undefined);
  });

  it('never has a reply', async () => {
    const node = start({ store: memoryStore() });
    await node.ask('a', { type: 'add', amount: 2 });
    expect((await node.look('a'))!.reply).to.equal(undefined);
    expect(await node.ask('a', { type: 'note', text: 'no reply' })).to.equal(undefined);
  });
});

describe('an actor in the deleted state of its kind', () => {
  const start = nodes();

  it('has its document deleted', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'sleep', until: START + 5_000 });
    await node.ask('a', { type: 'remove' });
    expect(store.documents.size).to.equal(0);
    expect(await node.actors.read(tally('a'))).to.equal(undefined);
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
  });

  it('starts anew at the next event', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 5 });
    await node.ask('a', { type: 'note', text: 'old' });
    await node.ask('a', { type: 'remove' });
    expect(await node.ask('a', { type: 'add', amount: 1 })).to.equal(1);
    expect(store.documents.get(idOf('a'))).to.include({ revision: 2 * FIRST, rare: '{"notes":[]}' });
    expect(await start({ store }).look('a')).to.deep.include({ count: 1, notes: [] });
  });

  it('starts anew in the batch of its end, too, unless the event changes nothing', async () => {
    const store = memoryStore();
    await start({ store }).ask('a', { type: 'add', amount: 5 });
    // All wait for the load of the actor and form one batch.
    const other = start({ store });
    const remove = () => other.ask('a', { type: 'remove' });
    const [, sum] = await Promise.all([remove(), other.ask('a', { type: 'add', amount: 2 })]);
    expect(sum).to.equal(2);
    expect(await start({ store }).look('a')).to.deep.include({ count: 2, added: [2] });

    const third = start({ store });
    await Promise.all([third.ask('a', { type: 'remove' }), third.ask('a', { type: 'wake' })]);
    expect(store.documents.size).to.equal(0);
  });

  it('exists until the deletion is durable, and stays if the deletion is lost', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 5 });
    const held = holdCommits(store);
    const removed = rejection(node.ask('a', { type: 'remove' }));
    const commit = await held.next();
    expect(node.actors.peek(tally('a'))).to.have.property('revision', FIRST);
    commit.vanish(false);
    await removed;
    expect((await node.look('a'))!.count).to.equal(5);
  });

  it('is deleted for a node that still has it in memory', async () => {
    const store = memoryStore({ shared: true });
    const [here, there] = [start({ store }), start({ store })];
    await here.ask('a', { type: 'add', amount: 5 });
    await there.ask('a', { type: 'remove' });
    expect(await here.ask('a', { type: 'add', amount: 1 })).to.equal(1);
  });
});

describe('closing the runtime', () => {
  const start = nodes();

  it('waits for the commits in flight and answers them', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const told = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    const closing = node.actors.close();
    const closed = observed(closing);
    await quiet();
    expect(closed.settled).to.equal(false);
    commit.pass();
    await closing;
    expect(await told).to.equal(1);
  });

  it('refuses further events', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.actors.close();
    const refused = await rejection(node.ask('a', { type: 'add', amount: 1 }));
    expect(refused).to.include({ code: 'unavailable', message: 'the service is stopping; nothing was done' });
    expect(store.calls).to.deep.equal([]);
  });

  it('refuses the events behind the last commit, with nothing done', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const told = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    const waiting = rejection(node.ask('a', { type: 'add', amount: 1 }));
    const closing = node.actors.close();
    commit.pass();
    await closing;
    expect(await told).to.equal(1);
    const refused = await waiting;
    expect(refused).to.include({ code: 'unavailable' });
    expect(refused.message).to.include('nothing was done');
    expect(store.documents.get(idOf('a'))).to.have.property('revision', FIRST);
  });

  it('leaves the result of an effect that ends later to the next start', async () => {
    const store = memoryStore();
    let arrive = (): void => {};
    const node = start({
      store,
      carry: (parcel) =>
        new Promise((resolve) => {
          arrive = () => resolve({ type: 'performed', now: START, entryId: parcel.id });
        }),
    });
    await node.ask('a', { type: 'post', parcel: 'p' });
    await node.actors.close();
    arrive();
    await quiet();
    expect(node.faults.size).to.equal(0);
    expect((await start({ store }).carried.next()).id).to.equal('p');
  });
});
