import { expect } from 'chai';
import { deliveryAddress } from '../../../src/delivery/delivery.js';
import { actorId, StoreUnavailable } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { until } from '../../actors/stage/queue.js';
import { rejectionOf } from '../../rejection.js';
import { DELIVERED, NOON, RETRY } from '../driven-delivery.js';
import { dispatched, type Dispatched } from './dispatched.js';

/** Permits of one receiver. */
const PERMITS = 16;
/** Time after the start in which everything is tried early, ms. */
const EARLY_MS = 10_000;
const URL_1 = 'http://r.example/hook';

describe('a waiting delivery', () => {
  let store: MemoryStore;
  let node: Dispatched;
  const clock = { time: NOON, now: () => clock.time, random: () => 0.5 };
  let walks = 0;
  /** Number of the scans of queues that have ended. */
  let scans = 0;
  /** Called in each walk over the queues. */
  let inWalk = (): void => {};
  const measured = performance.now.bind(performance);

  beforeEach(async () => {
    store = memoryStore();
    const queues = store.queues.bind(store);
    store.queues = async (after, limit) => {
      inWalk();
      const heads = await queues(after, limit);
      walks += 1;
      return heads;
    };
    const queued = store.queued.bind(store);
    store.queued = async (...query) => {
      const found = await queued(...query);
      scans += 1;
      return found;
    };
    walks = scans = 0;
    inWalk = () => {};
    clock.time = NOON;
    node = dispatched(store, clock, { sweepMs: 5 });
    clock.time += EARLY_MS;
    await walked();
  });
  afterEach(async () => {
    performance.now = measured;
    await node.close();
  });

  /** Waits for the next walk, and lets time pass until it comes. */
  async function walked(): Promise<void> {
    const before = walks;
    await until(async () => {
      if (walks === before) clock.time += 50;
      return walks > before;
    });
  }

  /** Dispatches one message more than there are permits. The commit of the last one is applied, and not answered. */
  async function oneUnanswered(): Promise<void> {
    for (let n = 0; n < PERMITS; n += 1) await node.dispatch('acme', `m${n}`, URL_1);
    await until(async () => node.inFlight.size === PERMITS);
    store.between.commit = async (batch, apply) => {
      apply();
      if (batch.some(({ id }) => id === actorId(deliveryAddress('acme', 'last'))))
        throw new StoreUnavailable('no answer');
      return batch.map(() => 'won' as const);
    };
    expect(await rejectionOf(node.dispatch('acme', 'last', URL_1))).to.be.instanceOf(StoreUnavailable);
    store.between.commit = (_batch, apply) => Promise.resolve(apply());
  }

  it('of which its node has no answer is tried as soon as a permit is free, before the next walk over the queues', async () => {
    await oneUnanswered();
    const before = walks;
    node.answer(DELIVERED);
    await until(async () => node.inFlight.has('last'));
    expect(walks).to.equal(before);
    node.answer(DELIVERED);
  });

  /** Fails the attempt of one message. Resolves with the time of the next one, ms since the epoch. */
  async function failedOnce(): Promise<number> {
    await node.dispatch('acme', 'm1', URL_1);
    await until(async () => node.inFlight.has('m1'));
    node.answer(RETRY);
    const id = actorId(deliveryAddress('acme', 'm1'));
    await until(async () => store.documents.get(id)?.state === 'waiting');
    return store.documents.get(id)!.wakeAt!;
  }

  it('that failed is tried again when it is due, before the next walk over the queues', async () => {
    await walked();
    const before = walks;
    clock.time = await failedOnce();
    await until(async () => node.sent.length === 2);
    expect(walks).to.equal(before);
    node.answer(DELIVERED);
  });

  /** Replaces the message of a waiting delivery, which a scan of its queue leaves out meanwhile. It is tried then. */
  async function replacedWhileDue(dueAt: number): Promise<void> {
    const found = scans + 1;
    store.between.commit = async (_batch, apply) => {
      await until(async () => scans >= found);
      return apply();
    };
    const replaced = node.renew('acme', 'm1', URL_1);
    clock.time = dueAt;
    expect(await replaced).to.equal('waiting');
    store.between.commit = (_batch, apply) => Promise.resolve(apply());
    await until(async () => node.sent.length === 2);
  }

  it('whose message is replaced while it becomes due is tried, before the next walk over the queues', async () => {
    await walked();
    const before = walks;
    await replacedWhileDue(await failedOnce());
    expect(walks).to.equal(before);
    node.answer(DELIVERED);
  });

  it('holds up no new message of its queue when it is dispatched again', async () => {
    await failedOnce();
    const before = scans;
    await node.dispatch('acme', 'm1', URL_1);
    await node.dispatch('acme', 'm2', URL_1);
    await until(async () => node.inFlight.has('m2'));
    expect(scans).to.equal(before);
    node.answer(DELIVERED);
  });

  it('holds up no new message of its queue when it is replaced again, after a scan left it out once', async () => {
    await replacedWhileDue(await failedOnce());
    node.answer(RETRY);
    await until(async () => store.documents.get(actorId(deliveryAddress('acme', 'm1')))?.state === 'waiting');
    const before = scans;
    expect(await node.renew('acme', 'm1', URL_1)).to.equal('waiting');
    await node.dispatch('acme', 'm2', URL_1);
    await until(async () => node.inFlight.has('m2'));
    expect(scans).to.equal(before);
    node.answer(DELIVERED);
  });

  it('of which its node has no answer is found by a walk within ten seconds, however long an outage held up the walk before', async () => {
    inWalk = () => {
      performance.now = () => measured() + 400;
    };
    await walked();
    inWalk = () => {};
    const before = walks;
    clock.time += 10_000;
    await until(async () => walks > before);
  });
});
