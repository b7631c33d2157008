import { expect } from 'chai';
import fc from 'fast-check';
import type { Refusal } from '../../src/errors.js';
import { StoreUnavailable } from '../../src/store/port.js';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, type Node, nodes, START, tally } from './stage/nodes.js';
import { quiet, rejection } from './stage/queue.js';
import { type TallyContext, tallyKind } from './stage/tally.js';

describe('two nodes on one store', () => {
  const start = nodes();

  it('lose no acknowledged increment and keep no refused one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (turns) => {
        const store = memoryStore({ shared: true });
        store.between.commit = async (_batch, apply) => {
          await new Promise((resolve) => setImmediate(resolve));
          return apply();
        };
        const [left, right] = [start({ store }), start({ store })];
        const acknowledged = (
          await Promise.all(
            turns.map((atLeft) =>
              (atLeft ? left : right)
                .ask('a', { type: 'add', amount: 1 })
                .catch((error: unknown) => (error as Refusal).code),
            ),
          )
        ).filter((answer) => answer !== 'unavailable');
        expect(acknowledged.toSorted((a, b) => Number(a) - Number(b))).to.deep.equal(
          acknowledged.map((_, i) => i + 1),
        );
        expect((await start({ store }).look('a'))?.count ?? 0).to.equal(acknowledged.length);
      }),
      { numRuns: 40 },
    );
  });

  it('have the loser of a race load the winner’s document and decide again', async () => {
    const store = memoryStore({ shared: true });
    const [winner, loser] = [start({ store }), start({ store })];
    await winner.ask('a', { type: 'add', amount: 1 });
    await loser.look('a');
    await winner.ask('a', { type: 'add', amount: 10 });
    expect(await loser.ask('a', { type: 'add', amount: 100 })).to.equal(111);
    expect(await rejection(winner.ask('a', { type: 'add', amount: 1, most: 111 }))).to.have.property(
      'message',
      '112 is too much',
    );
  });

  it('have the loser decide on the document that came with its loss, without another read', async () => {
    const store = memoryStore({ shared: true });
    const [winner, loser] = [start({ store }), start({ store })];
    await loser.ask('a', { type: 'add', amount: 1 });
    await winner.ask('a', { type: 'add', amount: 10 });
    const loads = store.loads.length;
    store.between.commit = (batch, apply) =>
      Promise.resolve(
        apply().map((result, i) => (result === 'lost' ? store.documents.get(batch[i]!.id)! : result)),
      );
    expect(await loser.ask('a', { type: 'add', amount: 100 })).to.equal(111);
    expect(store.loads).to.have.length(loads);
  });

  it('begin with a read where the other node wrote last, until they find their own writes', async () => {
    const store = memoryStore({ shared: true });
    const [one, other] = [start({ store }), start({ store })];
    await one.ask('a', { type: 'add', amount: 1 });
    const add = async (node: typeof one): Promise<readonly [reads: number, commits: number]> => {
      const before = [store.loads.length, store.calls.length] as const;
      await node.ask('a', { type: 'add', amount: 1 });
      return [store.loads.length - before[0], store.calls.length - before[1]];
    };
    expect(await add(other)).to.deep.equal([1, 1]);
    // The first loss, and the last one.
    expect(await add(one)).to.deep.equal([1, 2]);
    expect(await add(other)).to.deep.equal([1, 2]);
    for (const node of [one, other, one, other]) expect(await add(node)).to.deep.equal([1, 1]);
    expect(await add(other)).to.deep.equal([1, 1]);
    expect(await add(other)).to.deep.equal([0, 1]);
  });

  it('have the loser keep the order of its events', async () => {
    const store = memoryStore({ shared: true });
    const [winner, loser] = [start({ store }), start({ store })];
    await loser.ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const first = loser.ask('a', { type: 'add', amount: 2 });
    const losing = await held.next();
    const second = loser.ask('a', { type: 'add', amount: 3 });
    const won = winner.ask('a', { type: 'add', amount: 10 });
    (await held.next()).pass();
    await won;
    losing.pass();
    (await held.next()).pass();
    expect(await Promise.all([first, second])).to.deep.equal([13, 16]);
    expect((await loser.look('a'))!.added).to.deep.equal([1, 10, 2, 3]);
  });

  it('perform the winner’s effects once and none of the loser’s', async () => {
    const store = memoryStore({ shared: true });
    const [winner, loser] = [start({ store }), start({ store })];
    await winner.ask('a', { type: 'add', amount: 1 });
    await loser.look('a');
    await winner.ask('a', { type: 'add', amount: 1 });
    await loser.ask('a', { type: 'post', parcel: 'p' });
    await loser.carried.next();
    await quiet();
    expect([loser.carried.size, winner.carried.size]).to.deep.equal([0, 0]);
    expect(await loser.look('a')).to.deep.include({ count: 2, outbox: [] });
  });

  it('perform an overdue entry once if both wake its actor at the same time', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const crashed = start({ store, clock, carry: () => new Promise(() => {}) });
    await crashed.ask('a', { type: 'post', parcel: 'p' });
    clock.now += 9_000;
    const both = [start({ store, clock }), start({ store, clock })];
    await quiet();
    expect(both[0]!.carried.size + both[1]!.carried.size).to.equal(1);
  });

  it('decide on the stored document what they refuse, also if their copy is fresh', async () => {
    const store = memoryStore({ shared: true });
    const [here, there] = [start({ store }), start({ store })];
    await here.ask('a', { type: 'add', amount: 9 });
    expect(await rejection(here.ask('a', { type: 'add', amount: 9, most: 5 }))).to.have.property(
      'message',
      '18 is too much',
    );
    await there.ask('a', { type: 'add', amount: -9 });
    expect(await here.ask('a', { type: 'add', amount: 5, most: 5 })).to.equal(5);
  });

  for (const monotonic of [undefined, ['tear']]) {
    const what = monotonic === undefined ? 'the stored document' : 'a fresh copy, of a monotonic event,';
    it(`decide on ${what} that an event changes nothing`, async () => {
      const store = memoryStore({ shared: true });
      const kind = { ...tallyKind(() => Promise.reject(new Error('no effects'))), monotonic };
      const [here, there] = [start({ store, kinds: [kind] }), start({ store })];
      await here.ask('a', { type: 'add', amount: 1 });
      await there.ask('a', { type: 'note', text: 'x' });
      await here.ask('a', { type: 'tear', left: 0 });
      expect((await start({ store }).look('a'))!.notes).to.deep.equal(monotonic === undefined ? [] : ['x']);
    });
  }

  it('read a copy that is at most `freshMs` old', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const limits = { freshMs: 400 };
    const [here, there] = [start({ store, clock, limits }), start({ store, clock, limits })];
    await here.ask('a', { type: 'add', amount: 1 });
    await there.ask('a', { type: 'add', amount: 1 });
    clock.now += 399;
    expect((await here.look('a'))!.count).to.equal(1);
    expect(here.actors.peek(tally('a'))).to.have.property('revision', FIRST);
    clock.now += 1;
    expect(here.actors.peek(tally('a'))).to.equal(undefined);
    expect((await here.look('a'))!.count).to.equal(2);
  });

  it('read what the other node has just committed, if they are asked for what is committed', async () => {
    const store = memoryStore({ shared: true });
    const [here, there] = [start({ store }), start({ store })];
    await here.ask('a', { type: 'add', amount: 1 });
    await there.ask('a', { type: 'add', amount: 1 });
    expect((await here.actors.readCommitted<TallyContext>(tally('a')))!.count).to.equal(2);
  });

  it('count the age of a copy from the start of its load', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const node = start({ store, clock, limits: { freshMs: 400 } });
    await start({ store }).ask('a', { type: 'add', amount: 1 });
    store.between.load = (_id, get) => {
      const found = get();
      clock.now += 1_000;
      return Promise.resolve(found);
    };
    expect((await node.look('a'))!.count).to.equal(1);
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
  });

  it('count the age of an own commit from its start', async () => {
    const store = memoryStore({ shared: true });
    const clock = { now: START };
    const node = start({ store, clock, limits: { freshMs: 400 } });
    const held = holdCommits(store);
    const told = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    clock.now += 1_000;
    commit.pass();
    await told;
    expect(node.actors.peek(tally('a'))).to.equal(undefined);
  });

  it('yield to one another where many change one actor: none is refused, and few commits are lost', async () => {
    const store = memoryStore({ shared: true });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    store.between.commit = async (_batch, apply) => {
      await turn();
      const results = apply();
      await turn();
      return results;
    };
    const adder = async (node: Node): Promise<void> => {
      for (let sent = 0; sent < 40; sent += 1) await node.ask('a', { type: 'add', amount: 1 });
    };
    const eight = Array.from({ length: 8 }, () => start({ store }));
    await Promise.all(eight.map(adder));
    expect((await start({ store }).look('a'))!.count).to.equal(320);
    expect(store.calls.length).to.be.below(2 * 320);
  });

  it('show no copy that is known to be stale, also while they yield', async () => {
    const store = memoryStore({ shared: true });
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const seen: unknown[] = [];
    store.between.commit = (batch) => {
      setImmediate(() => seen.push(node.actors.peek(tally('a'))));
      return Promise.resolve(batch.map(() => 'lost'));
    };
    store.between.load = (_id, get) => new Promise((resolve) => setImmediate(() => resolve(get())));
    await rejection(node.ask('a', { type: 'add', amount: 1 }));
    expect(seen.filter((view) => view !== undefined)).to.deep.equal([]);
  });

  it('give up with 503 if every race is lost', async () => {
    const store = memoryStore({ shared: true });
    const node = start({ store });
    store.between.commit = (batch) => Promise.resolve(batch.map(() => 'lost'));
    const refused = await rejection(node.ask('a', { type: 'add', amount: 1 }));
    expect(refused).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(store.calls.length).to.be.within(2, 50);
    expect(store.documents.size).to.equal(0);
  });
});

describe('a commit whose answer was lost', () => {
  const start = nodes();

  for (const applied of [true, false]) {
    it(`is looked up before the next decision, ${applied ? 'applied' : 'not applied'}`, async () => {
      const store = memoryStore();
      const node = start({ store });
      await node.ask('a', { type: 'add', amount: 1 });
      const held = holdCommits(store);
      const unknown = rejection(node.ask('a', { type: 'add', amount: 10 }));
      const commit = await held.next();
      const next = node.ask('a', { type: 'add', amount: 100 });
      commit.vanish(applied);
      expect(await unknown).to.be.instanceOf(StoreUnavailable);
      (await held.next()).pass();
      expect(await next).to.equal(applied ? 111 : 101);
      expect(store.documents.get(idOf('a'))).to.have.property('revision', applied ? FIRST + 2 : FIRST + 1);
    });
  }

  it('loses to the decision made meanwhile if the database applies it late', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'add', amount: 1 });
    const held = holdCommits(store);
    const unknown = rejection(node.ask('a', { type: 'add', amount: 10 }));
    const late = await held.next();
    late.vanish(false);
    await unknown;
    const next = node.ask('a', { type: 'add', amount: 100 });
    (await held.next()).pass();
    expect(await next).to.equal(101);
    late.pass();
    expect((await node.look('a'))!.count).to.equal(101);
    expect(store.documents.get(idOf('a'))).to.have.property('revision', FIRST + 1);
  });
});
