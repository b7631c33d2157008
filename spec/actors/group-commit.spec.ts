import { expect } from 'chai';
import { actorId, type Committed, Undecided } from '../../src/store/port.js';
import { FIRST, holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, START } from './stage/nodes.js';
import { quiet, rejection } from './stage/queue.js';
import { type TallyEvent, tallyKind } from './stage/tally.js';

describe('group commit', () => {
  const start = nodes();
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);

  it('puts what arrives while a commit of the actor is in flight into exactly one further commit', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const first = node.ask('a', { type: 'add', amount: 1 });
    const commit = await held.next();
    const further = names(50).map(() => node.ask('a', { type: 'add', amount: 1 }));
    await quiet();
    expect(held.size).to.equal(0);
    commit.pass();
    await first;
    (await held.next()).pass();
    expect(await Promise.all(further)).to.deep.equal(names(50).map((_, i) => i + 2));
    expect(store.calls.flat().map(({ id, expected }) => [id, expected])).to.deep.equal([
      [idOf('a'), 0],
      [idOf('a'), FIRST],
    ]);
  });

  it('puts the commits of different actors into one call of the store', async () => {
    const store = memoryStore();
    const node = start({ store });
    await Promise.all(names(30).map((name) => node.ask(name, { type: 'add', amount: 1 })));
    expect(store.calls.map((batch) => batch.length)).to.deep.equal([30]);
  });

  it('has at most `inFlight` calls, of at most `batch` commits each', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store, limits: { inFlight: 2, batch: 10 } });
    const told = names(35).map((name) => node.ask(name, { type: 'add', amount: 1 }));
    const [one, two] = [await held.next(), await held.next()];
    await quiet();
    expect([one.batch.length, two.batch.length, held.size]).to.deep.equal([10, 10, 0]);
    one.pass();
    const three = await held.next();
    await quiet();
    expect([three.batch.length, held.size]).to.deep.equal([10, 0]);
    two.pass();
    const four = await held.next();
    expect(four.batch.length).to.equal(5);
    three.pass();
    four.pass();
    await Promise.all(told);
    expect(node.actors.stats().commitsPending).to.equal(0);
  });

  it('settles the commits of a call without those whose results take longer', async () => {
    const store = memoryStore({ shared: true });
    const node = start({ store, limits: { inFlight: 1 } });
    let settle: ((result: Committed) => void) | undefined;
    store.between.commit = async (_batch, apply) => {
      const [, ...others] = apply();
      store.between.commit = (_, applyNext) => Promise.resolve(applyNext());
      const decided = new Promise<Committed>((resolve) => (settle = resolve));
      return [new Undecided(decided), ...others];
    };
    const [late, ...others] = names(3).map((name) => node.ask(name, { type: 'add', amount: 1 }));
    expect(await Promise.all(others)).to.deep.equal([1, 1]);
    expect(await node.ask('n1', { type: 'add', amount: 1 })).to.equal(2);
    expect(node.actors.stats().commitsPending).to.equal(1);
    settle!('won');
    expect(await late).to.equal(1);
    expect(node.actors.stats().commitsPending).to.equal(0);
  });

  it('has no more concurrent calls than the store handles', async () => {
    const store = memoryStore({ atOnce: 1 });
    const held = holdCommits(store);
    const node = start({ store, limits: { inFlight: 2 } });
    const told = [node.ask('first', { type: 'add', amount: 1 })];
    const first = await held.next();
    told.push(...names(3).map((name) => node.ask(name, { type: 'add', amount: 1 })));
    await quiet();
    expect(held.size).to.equal(0);
    first.pass();
    const rest = await held.next();
    expect(rest.batch.map(({ id }) => id)).to.deep.equal(names(3).map(idOf));
    rest.pass();
    await Promise.all(told);
  });

  it('commits urgent kinds before others that came earlier', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const calm = tallyKind(() => Promise.reject(new Error('nothing is to be carried')));
    const kinds = [calm, { ...calm, name: 'urgent', urgent: true }];
    const node = start({ store, limits: { inFlight: 1, batch: 2 }, kinds });
    const told = [node.ask('first', { type: 'add', amount: 1 })];
    const first = await held.next();
    told.push(...names(3).map((name) => node.ask(name, { type: 'add', amount: 1 })));
    const urgent = { kind: 'urgent', tenant: 'acme', name: 'u' };
    told.push(node.actors.ask(urgent, { type: 'add', now: START, amount: 1 } as TallyEvent));
    first.pass();
    const ids: string[][] = [];
    for (let call = 0; call < 2; call += 1) {
      const { batch, pass } = await held.next();
      ids.push(batch.map(({ id }) => id));
      pass();
    }
    expect(ids).to.deep.equal([
      [actorId(urgent), idOf('n0')],
      [idOf('n1'), idOf('n2')],
    ]);
    await Promise.all(told);
  });

  it('settles each commit of a call on its own', async () => {
    const store = memoryStore({ shared: true });
    const [node, other] = [start({ store }), start({ store })];
    await node.look('raced');
    await other.ask('raced', { type: 'add', amount: 100 });
    store.calls.length = 0;
    const answers = await Promise.all([
      node.ask('calm', { type: 'add', amount: 1 }),
      node.ask('raced', { type: 'add', amount: 1 }),
    ]);
    expect(answers).to.deep.equal([1, 101]);
    const written = store.calls.map((batch) => batch.map(({ id }) => id).toSorted());
    expect(written).to.deep.equal([[idOf('calm'), idOf('raced')], [idOf('raced')]]);
  });

  it('fails every commit of a call that fails, and goes on', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store });
    const failed = names(3).map((name) => rejection(node.ask(name, { type: 'add', amount: 1 })));
    (await held.next()).vanish(false);
    expect((await Promise.all(failed)).map((error) => error.name)).to.deep.equal(
      names(3).map(() => 'StoreUnavailable'),
    );
    const again = node.ask('n0', { type: 'add', amount: 1 });
    (await held.next()).pass();
    expect(await again).to.equal(1);
  });

  it('writes the rarely written text only if it changed', async () => {
    const store = memoryStore();
    const node = start({ store });
    await node.ask('a', { type: 'note', text: 'first' });
    await node.ask('a', { type: 'add', amount: 1 });
    await node.ask('a', { type: 'note', text: 'second' });
    expect(store.calls.flat().map(({ next }) => next?.rare)).to.deep.equal([
      '{"notes":["first"]}',
      undefined,
      '{"notes":["first","second"]}',
    ]);
    expect(await start({ store }).look('a')).to.deep.include({ count: 1, notes: ['first', 'second'] });
  });
});

describe('a flood of commits of one kind', () => {
  const start = nodes();

  it('leaves other kinds their share, and keeps the order within each kind', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const calm = tallyKind(() => Promise.reject(new Error('nothing is to be carried')));
    const kinds = [calm, { ...calm, name: 'urgent', urgent: true }];
    const node = start({ store, limits: { inFlight: 1, batch: 20 }, kinds });
    const first = node.ask('first', { type: 'add', amount: 1 });
    const { pass } = await held.next();
    const told = Array.from({ length: 40 }, (_, i) => node.ask(`n${i}`, { type: 'add', amount: 1 }));
    const URGENT = 400;
    let urgent = 0;
    /** Sends the next event as soon as one is done. */
    const flood = async (): Promise<void> => {
      while (urgent < URGENT) {
        const address = { kind: 'urgent', tenant: 'acme', name: `u${(urgent += 1)}` };
        await node.actors.ask(address, { type: 'add', now: START, amount: 1 } as TallyEvent);
      }
    };
    const flooding = Array.from({ length: 200 }, flood);
    pass();
    await first;
    const batches: string[][] = [];
    while (batches.flat().length < told.length + URGENT) {
      const call = await held.next();
      batches.push(call.batch.map(({ id }) => id));
      call.pass();
    }
    await Promise.all([...told, ...flooding]);
    const during = batches.slice(0, 10).flat();
    const others = during.filter((id) => id.startsWith('tally/'));
    console.log(`      ${others.length} of the first ${during.length} commits were of another kind`);
    expect(others.length / during.length).to.be.within(0.15, 0.35);
    expect(batches.flat().filter((id) => id.startsWith('tally/'))).to.deep.equal(
      Array.from({ length: 40 }, (_, i) => idOf(`n${i}`)),
    );
    const numbers = batches.flat().flatMap((id) => (id.startsWith('urgent/') ? [Number(id.slice(13))] : []));
    expect(numbers).to.deep.equal(numbers.toSorted((a, b) => a - b));
  });
});
