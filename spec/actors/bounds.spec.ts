import { expect } from 'chai';
import { holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, START, tally } from './stage/nodes.js';
import { type TallyEvent, tallyKind } from './stage/tally.js';
import { quiet, rejection } from './stage/queue.js';

describe('the bounds', () => {
  const start = nodes();
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);

  it('refuse a message to a full mailbox, with nothing done', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { mailbox: 3 } });
    const held = holdCommits(store);
    const first = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    const taken = names(3).map(() => node.ask('a', { type: 'add', amount: 1 }));
    const refused = await rejection(node.ask('a', { type: 'add', amount: 1000 }));
    expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(refused.message).to.include('nothing was done');
    expect(await rejection(node.look('a'))).to.include({ code: 'unavailable' });
    const elsewhere = node.ask('b', { type: 'add', amount: 1 });
    (await held.next()).pass();
    expect(await elsewhere).to.equal(1);
    commit.pass();
    (await held.next()).pass();
    expect(await Promise.all([first, ...taken])).to.deep.equal([1, 2, 3, 4]);
    expect((await node.look('a'))!.count).to.equal(4);
  });

  it('refuse an event whose commit is beyond the limit of waiting commits, with nothing done', async () => {
    const store = memoryStore();
    const calm = tallyKind(() => Promise.reject(new Error('nothing is to be carried')));
    const kinds = [calm, { ...calm, name: 'other' }];
    const node = start({ store, limits: { commits: 2, batch: 1, inFlight: 1 }, kinds });
    const held = holdCommits(store);
    const told = [node.ask('first', { type: 'add', amount: 1 })];
    const first = await held.next();
    told.push(...names(2).map((name) => node.ask(name, { type: 'add', amount: 1 })));
    await quiet();
    const refused = await rejection(node.ask('late', { type: 'add', amount: 1 }));
    expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(refused.message).to.include('nothing was done');
    const other = node.actors.ask({ ...tally('other'), kind: 'other' }, {
      type: 'add',
      now: START,
      amount: 1,
    } as TallyEvent);
    await quiet();
    first.pass();
    for (let i = 1; i < 4; i += 1) (await held.next()).pass();
    expect(await other, 'those of another kind have room of their own').to.equal(1);
    await Promise.all(told);
    const again = node.ask('late', { type: 'add', amount: 1 });
    (await held.next()).pass();
    expect(await again).to.equal(1);
  });

  it('refuse an event that makes a document too large, and leave the document as it was', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { document: 1_000 } });
    await node.ask('a', { type: 'note', text: 'short' });
    const refused = await rejection(node.ask('a', { type: 'note', text: 'x'.repeat(1_000) }));
    expect(refused).to.include({ code: 'too-large' });
    expect(refused.message).to.include(idOf('a'));
    expect((await node.look('a'))!.notes).to.deep.equal(['short']);
    await node.ask('a', { type: 'note', text: 'again' });
    expect((await start({ store }).look('a'))!.notes).to.deep.equal(['short', 'again']);
  });

  it('refuse only the event that is too large of several', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { document: 1_000 } });
    const large = (): Promise<Error> => rejection(node.ask('a', { type: 'note', text: 'x'.repeat(1_000) }));
    const answers = await Promise.all([
      node.ask('a', { type: 'add', amount: 1 }),
      large(),
      node.ask('a', { type: 'add', amount: 1 }),
      large(),
      large(),
      node.ask('a', { type: 'add', amount: 1 }),
    ]);
    expect(answers.map((answer) => (answer instanceof Error ? 'refused' : answer))).to.deep.equal([
      1,
      'refused',
      2,
      'refused',
      'refused',
      3,
    ]);
  });

  it('survive a full mailbox of events that are all too large', async () => {
    const node = start({ store: memoryStore(), limits: { document: 1_000 } });
    const text = 'x'.repeat(1_000);
    const refused = await Promise.all(
      names(1_000).map(() => rejection(node.ask('a', { type: 'note', text }))),
    );
    expect(new Set(refused.map((error) => error.name))).to.deep.equal(new Set(['Refusal']));
  });

  it('keep about as many idle actors as allowed, and load the others again as they were', async () => {
    const node = start({ store: memoryStore(), limits: { actors: 1_000, mailbox: 10 } });
    const all = names(50_000);
    for (let i = 0; i < all.length; i += 500) {
      await Promise.all(all.slice(i, i + 500).map((name) => node.ask(name, { type: 'add', amount: i + 1 })));
      expect(node.actors.stats().resident).to.be.within(1, 2_000);
    }
    expect(node.actors.stats().resident).to.be.within(900, 1_100);
    for (const i of [0, 500, 25_000, 49_500]) {
      expect(await node.ask(`n${i}`, { type: 'add', amount: 1 })).to.equal(i + 2);
    }
  });

  it('keep the actors that are used again and again', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { actors: 100 } });
    for (const name of names(2_000)) {
      await node.ask(name, { type: 'add', amount: 1 });
      await node.ask('favourite', { type: 'add', amount: 1 });
    }
    expect(store.loads.filter((id) => id === idOf('favourite'))).to.have.length(1);
  });

  it('hold again after more actors than the limit were busy', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { actors: 100 } });
    const replies = names(1_000).map((name) => node.ask(name, { type: 'add', amount: 1 }));
    expect(node.actors.stats().resident).to.equal(1_000);
    await Promise.all(replies);
    for (const name of names(100)) await node.ask(`later-${name}`, { type: 'add', amount: 1 });
    expect(node.actors.stats().resident).to.be.within(90, 110);
  });

  it('never evict an actor that is busy, or whose effect runs', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { actors: 5 }, carry: () => new Promise(() => {}) });
    await node.ask('performing', { type: 'post', parcel: 'p' });
    const held = holdCommits(store);
    const told = node.ask('busy', { type: 'add', amount: 1 });
    const commit = await held.next();
    const behind = node.ask('busy', { type: 'add', amount: 1 });
    for (const name of names(500)) await node.look(name);
    expect(node.actors.stats().resident).to.be.within(2, 10);
    await node.look('performing');
    await node.actors.read({ kind: 'tally', tenant: 'acme', name: 'n0' });
    commit.pass();
    (await held.next()).pass();
    expect(await Promise.all([told, behind])).to.deep.equal([1, 2]);
    const once = (name: string) => store.loads.filter((id) => id === idOf(name)).length;
    expect([once('performing'), once('busy')]).to.deep.equal([1, 1]);
  });

  it('evict an actor in a state of `evictAfter` once it is idle, and load it again', async () => {
    const store = memoryStore();
    const kind = { ...tallyKind(() => new Promise(() => {})), evictAfter: ['counting'] };
    const node = start({ store, kinds: [kind] });
    await node.ask('a', { type: 'note', text: 'still empty' });
    expect(node.actors.stats().resident).to.equal(1);
    const held = holdCommits(store);
    const first = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    const second = node.ask('a', { type: 'add', amount: 1 });
    commit.pass();
    expect(await first).to.equal(1);
    expect(node.actors.stats().resident, 'somebody waits for it').to.equal(1);
    (await held.next()).pass();
    expect(await second).to.equal(2);
    expect(node.actors.stats().resident).to.equal(0);
    const posted = node.ask('a', { type: 'post', parcel: 'p' });
    (await held.next()).pass();
    await posted;
    expect(node.actors.stats().resident, 'its parcel is being carried').to.equal(1);
    expect((await node.look('a'))!.added).to.deep.equal([1, 1]);
  });

  it('keep an actor in a state of `evictAfter` if the store is shared', async () => {
    const kind = { ...tallyKind(async () => undefined as never), evictAfter: ['counting'] };
    const node = start({ store: memoryStore({ shared: true }), kinds: [kind] });
    expect(await node.ask('a', { type: 'add', amount: 1 })).to.equal(1);
    expect(node.actors.stats().resident).to.equal(1);
  });
});
