import { expect } from 'chai';
import { holdCommits, memoryStore } from './stage/memory-store.js';
import { idOf, nodes, START, tally } from './stage/nodes.js';
import { Queue, quiet } from './stage/queue.js';
import type { Parcel, TallyContext, TallyEvent } from './stage/tally.js';

const RETRY_MS = 9_000;

/** An effect that reports its runs and ends when the spec says so. */
function slowCarrier() {
  const asked = new Queue<{ parcel: Parcel; context: TallyContext; arrive: () => void; fail: () => void }>();
  const carry = (parcel: Parcel, context: TallyContext): Promise<TallyEvent> =>
    new Promise((resolve, reject) => {
      asked.push({
        parcel,
        context,
        arrive: () => resolve({ type: 'performed', now: START, entryId: parcel.id }),
        fail: () => reject(new Error('the road is closed')),
      });
    });
  return { asked, carry };
}

describe('the outbox', () => {
  const start = nodes();

  it('is written in the commit of the change that caused it', async () => {
    const store = memoryStore();
    const held = holdCommits(store);
    const node = start({ store, carry: slowCarrier().carry });
    const told = [node.ask('a', { type: 'add', amount: 1 }), node.ask('a', { type: 'post', parcel: 'p' })];
    const { batch, pass } = await held.next();
    expect(batch).to.have.length(1);
    const { count, outbox } = JSON.parse(batch[0]!.next!.frequent!) as TallyContext;
    const [entry] = outbox;
    expect([count, outbox.length, entry!.id, entry!.type]).to.deep.equal([1, 1, 'p', 'carry']);
    expect(batch[0]!.next!.wakeAt).to.equal(START + RETRY_MS);
    pass();
    await Promise.all(told);
  });

  it('is performed after the commit, with the context as committed, and removed by an event of its own', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry });
    await node.ask('a', { type: 'add', amount: 7 });
    await node.ask('a', { type: 'post', parcel: 'p' });
    const { parcel, context, arrive } = await asked.next();
    expect([parcel.id, context.count]).to.deep.equal(['p', 7]);
    expect((await node.look('a'))!.outbox).to.have.length(1);
    const held = holdCommits(store);
    arrive();
    const commit = await held.next();
    expect(JSON.parse(commit.batch[0]!.next!.frequent!)).to.have.deep.property('outbox', []);
    expect(commit.batch[0]!.next!.wakeAt).to.equal(undefined);
    commit.pass();
    expect((await node.look('a'))!.outbox).to.deep.equal([]);
  });

  it('is performed for new entries only, after an event that adds one', async () => {
    const { asked, carry } = slowCarrier();
    const node = start({ store: memoryStore(), carry });
    await node.ask('a', { type: 'post', parcel: 'p' });
    (await asked.next()).fail();
    await quiet();
    await node.ask('a', { type: 'post', parcel: 'q' });
    await node.ask('a', { type: 'add', amount: 1 });
    expect((await asked.next()).parcel.id).to.equal('q');
    await quiet();
    expect(asked.size).to.equal(0);
  });

  it('is performed again, with the same id, after a crash', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    await start({ store, carry }).ask('a', { type: 'post', parcel: 'p' });
    const before = await asked.next();
    const restarted = start({ store });
    const after = await restarted.carried.next();
    expect(after).to.deep.equal(before.parcel);
    expect(after).not.to.equal(before.parcel);
  });

  it('is performed again after the effect threw, at the wake-up and not before', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry, limits: { sweepMs: 1 } });
    await node.ask('a', { type: 'post', parcel: 'p' });
    (await asked.next()).fail();
    expect(await node.faults.next()).to.deep.include({ what: 'effect', id: idOf('a'), type: 'carry' });
    node.clock.now += RETRY_MS - 1;
    await sweeps(store, 3);
    expect(asked.size).to.equal(0);
    node.clock.now += 1;
    const again = await asked.next();
    expect(again.parcel.id).to.equal('p');
    const held = holdCommits(store);
    again.arrive();
    (await held.next()).pass();
    expect((await node.look('a'))!.outbox).to.deep.equal([]);
  });

  it('is performed again in time although other events keep coming', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry, limits: { sweepMs: 1 } });
    await node.ask('a', { type: 'post', parcel: 'p' });
    (await asked.next()).fail();
    for (let passed = 0; passed < RETRY_MS; passed += 1_000) {
      node.clock.now += 1_000;
      await node.ask('a', { type: 'add', amount: 1 });
    }
    (await asked.next()).arrive();
  });

  it('is not performed twice at once on one node', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry });
    await node.ask('a', { type: 'post', parcel: 'p' });
    const first = await asked.next();
    node.clock.now += RETRY_MS;
    await node.ask('a', { type: 'wake' });
    await quiet();
    expect([asked.size, node.actors.stats().effectsRunning]).to.deep.equal([0, 1]);
    first.fail();
    await node.faults.next();
    await quiet();
    await node.ask('a', { type: 'wake' });
    expect((await asked.next()).parcel.id).to.equal('p');
  });

  it('is not performed again while the event that removes it waits for its commit', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry });
    await node.ask('a', { type: 'post', parcel: 'p' });
    const first = await asked.next();
    node.clock.now += RETRY_MS;
    const held = holdCommits(store);
    const woken = node.ask('a', { type: 'wake' });
    const wakeUp = await held.next();
    first.arrive();
    await quiet();
    wakeUp.pass();
    await woken;
    (await held.next()).pass();
    expect((await node.look('a'))!.outbox).to.deep.equal([]);
    expect(asked.size).to.equal(0);
  });

  it('keeps an entry that was performed and could not be removed, and performs it again', async () => {
    const store = memoryStore();
    const { asked, carry } = slowCarrier();
    const node = start({ store, carry });
    await node.ask('a', { type: 'post', parcel: 'p' });
    const first = await asked.next();
    const held = holdCommits(store);
    first.arrive();
    (await held.next()).vanish(false);
    expect(await node.faults.next()).to.deep.include({ what: 'report', id: idOf('a'), type: 'performed' });
    const woken = node.ask('a', { type: 'wake', now: START });
    node.clock.now += RETRY_MS;
    (await held.next()).pass();
    await woken;
    expect((await asked.next()).parcel.id).to.equal('p');
  });

  it('keeps an entry without an effect in this version, and reports a fault', async () => {
    const node = start({ store: memoryStore() });
    await node.ask('a', { type: 'post', parcel: 'p', as: 'unheard-of' });
    const fault = await node.faults.next();
    expect(fault).to.deep.include({ what: 'effect', id: idOf('a'), type: 'unheard-of' });
    expect((fault.error as Error).message).to.equal('no effect of type unheard-of');
    expect((await node.look('a'))!.outbox).to.have.length(1);
  });

  it('is performed for its own actor', async () => {
    const addresses = new Queue<unknown>();
    const node = start({
      store: memoryStore(),
      carry: (parcel, _context, { address }) => {
        addresses.push(address);
        return Promise.resolve({ type: 'performed', now: START, entryId: parcel.id });
      },
    });
    await Promise.all(['a', 'b'].map((name) => node.ask(name, { type: 'post', parcel: 'p' })));
    expect([await addresses.next(), await addresses.next()]).to.deep.equal([tally('a'), tally('b')]);
  });
});

/** Waits for so many more sweeps of the store. */
async function sweeps(store: ReturnType<typeof memoryStore>, count: number): Promise<void> {
  while (store.sweeps.size > 0) await store.sweeps.next();
  for (let i = 0; i < count; i += 1) await store.sweeps.next();
}
