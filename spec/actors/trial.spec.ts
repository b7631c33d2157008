import { expect } from 'chai';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { type Node, nodes, START, tally } from './stage/nodes.js';
import { observed, quiet, rejection } from './stage/queue.js';
import type { TallyEvent } from './stage/tally.js';

describe('an event that is tried out', () => {
  const start = nodes();
  const tryOut = (node: Node, name: string, event: object): Promise<unknown> =>
    node.actors.tryOut(tally(name), { now: START, ...event } as TallyEvent);

  it('gets the reply of the machine, and changes nothing', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    expect(await tryOut(node, 'a', { type: 'add', amount: 4 })).to.equal(5);
    await tryOut(node, 'a', { type: 'post', parcel: 'p' });
    await tryOut(node, 'a', { type: 'remove' });
    expect(await node.look('a')).to.deep.include({ count: 1, outbox: [] });
    expect(node.actors.peek(tally('a'))).to.have.property('revision', FIRST);
    await quiet();
    expect(node.carried.size).to.equal(0);
  });

  it('makes no actor', async () => {
    const store = memoryStore();
    const node = start({ store });
    expect(await tryOut(node, 'new', { type: 'add', amount: 4 })).to.equal(4);
    expect(await node.look('new')).to.equal(undefined);
    expect(await store.load('tally/acme/new')).to.equal(undefined);
  });

  it('gets the refusal of the machine', async () => {
    const node = start({ store: memoryStore() });
    const refused = await rejection(tryOut(node, 'a', { type: 'add', amount: 2, most: 1 }));
    expect(refused).to.include({ code: 'conflict', message: '2 is too much' });
  });

  it('gets the refusal of a document that is too large', async () => {
    const node = start({ store: memoryStore(), limits: { document: 1_000, whole: 2_000 } });
    await node.ask('a', { type: 'note', text: 'n'.repeat(600) });
    const note = { type: 'note', text: 'n'.repeat(600) } as const;
    const asked = await rejection(node.ask('a', note));
    expect(await rejection(tryOut(node, 'a', note))).to.include({ code: 'conflict', message: asked.message });
    expect((await node.look('a'))!.notes).to.have.length(1);
  });

  it('sees the events before it, also those of its own batch, and is seen by none after it', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const answers = await Promise.all([
      node.ask('a', { type: 'add', amount: 10 }),
      tryOut(node, 'a', { type: 'add', amount: 100 }),
      node.ask('a', { type: 'add', amount: 1_000 }),
      tryOut(node, 'a', { type: 'add', amount: 100 }),
    ]);
    expect(answers).to.deep.equal([11, 111, 1_011, 1_111]);
    expect(await node.look('a')).to.have.property('count', 1_011);
  });

  it('is answered after the commit of the changes that it saw', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const told = node.ask('a', { type: 'add', amount: 2 });
    const tried = tryOut(node, 'a', { type: 'add', amount: 4 });
    const answer = observed(tried);
    const commit = await held.next();
    await quiet();
    expect(answer.settled).to.equal(false);
    commit.pass();
    expect([await told, await tried]).to.deep.equal([3, 7]);
  });

  it('is decided on what another node committed, once the own copy is not fresh', async () => {
    const store = memoryStore({ shared: true });
    const [node, other] = [start({ store }), start({ store })];
    await node.ask('a', { type: 'add', amount: 1 });
    await other.ask('a', { type: 'add', amount: 10 });
    node.clock.now += 60_000;
    expect(await tryOut(node, 'a', { type: 'add', amount: 100 })).to.equal(111);
  });

  it('that makes the machine throw fails alone', async () => {
    const node = start({ store: memoryStore() });
    const [thrown, added] = await Promise.allSettled([
      tryOut(node, 'a', { type: 'throw' }),
      node.ask('a', { type: 'add', amount: 1 }),
    ]);
    expect([thrown.status, added.status]).to.deep.equal(['rejected', 'fulfilled']);
    expect((await node.faults.next()).what).to.equal('poison');
  });

  it('is refused by a runtime that stops', async () => {
    const node = start({ store: memoryStore() });
    await node.actors.close();
    expect(await rejection(tryOut(node, 'a', { type: 'add', amount: 1 }))).to.include({
      code: 'unavailable',
    });
  });
});
