import { expect } from 'chai';
import { startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/kind.js';
import { holdCommits, memoryStore } from '../stage/memory-store.js';
import { nodes, START, tally } from '../stage/nodes.js';
import { quiet, rejection } from '../stage/queue.js';
import { type TallyContext, type TallyEvent, tallyKind } from '../stage/tally.js';

describe('the figures of the runtime', () => {
  const start = nodes();
  const add = { type: 'add', amount: 1 } as const;

  it('count the events that wait, for all actors and for the one with the most', async () => {
    const store = memoryStore();
    const node = start({ store });
    const held = holdCommits(store);
    const told = [node.ask('a', add), node.ask('b', add)];
    const commit = await held.next();
    told.push(...[1, 2, 3].map(() => node.ask('a', add)), node.ask('b', add));
    expect(node.actors.stats()).to.deep.include({
      resident: 2,
      waiting: 4,
      longestMailbox: 3,
      commitsPending: 2,
    });
    commit.pass();
    (await held.next()).pass();
    await Promise.all(told);
    expect(node.actors.stats()).to.deep.include({ waiting: 0, longestMailbox: 0, commitsPending: 0 });
  });

  it('count the refusals of a full mailbox and of too many commits, each under its cause', async () => {
    const store = memoryStore();
    const node = start({ store, limits: { mailbox: 1, commits: 1, batch: 1, inFlight: 1 } });
    expect(node.actors.stats().refused).to.deep.equal({ mailbox: 0, commits: 0, outgoing: 0, contention: 0 });
    const held = holdCommits(store);
    const told = [node.ask('a', add)];
    const first = await held.next();
    told.push(node.ask('b', add));
    await quiet();
    told.push(node.ask('b', add));
    await rejection(node.ask('b', add));
    await rejection(node.ask('b', add));
    await rejection(node.ask('c', add));
    expect(node.actors.stats().refused).to.deep.equal({ mailbox: 2, commits: 1, outgoing: 0, contention: 0 });
    first.pass();
    for (let i = 0; i < 2; i += 1) (await held.next()).pass();
    await Promise.all(told);
  });

  it('have the outgoing characters, and count the refusals for too many of them', async () => {
    const never = (): Promise<TallyEvent> => new Promise(() => undefined);
    const outgoing = ({ outbox }: TallyContext): number => outbox.reduce((sum, { id }) => sum + id.length, 0);
    const kinds = [{ ...tallyKind(never), outgoing }];
    const { actors } = start({ store: memoryStore(), kinds, limits: { outgoing: 200_000 } });
    const post = (name: string, size: number): Promise<unknown> =>
      actors.ask(tally(name), { type: 'post', now: START, parcel: name.padEnd(size, 'x') } as TallyEvent);
    await post('a', 90_000);
    await rejection(post('b', 90_000));
    expect(actors.stats()).to.deep.include({ outgoing: 90_000, effectsRunning: 1 });
    expect(actors.stats().refused).to.deep.include({ outgoing: 1 });
    expect(actors.stats().characters).to.be.within(90_000, 95_000);
  });

  it('report each call of the store with the number of its commits and its duration', async () => {
    const store = memoryStore();
    const calls: [number, number][] = [];
    const actors: Actors = startActors({
      store,
      kinds: [tallyKind(() => Promise.reject(new Error('nothing is to be carried')))],
      onStoreCall: (commits, seconds) => calls.push([commits, seconds]),
    });
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => actors.ask(tally(name), { ...add, now: START })));
    await actors.ask(tally('a'), { ...add, now: START });
    await actors.close();
    expect(calls.map(([commits]) => commits)).to.deep.equal([3, 1]);
    for (const [, seconds] of calls) expect(seconds).to.be.within(0, 5);
  });
});
