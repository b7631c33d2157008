import { expect } from 'chai';
import type { Commit } from '../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../actors/stage/memory-store.js';
import { until } from '../actors/stage/queue.js';
import { dispatched, type Dispatched } from './queue/dispatched.js';
import { DELIVERED, RETRY } from './driven-delivery.js';
import { waitingDelivery } from './waiting-delivery.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 15);

/** Returns a delivery with its next attempt tomorrow. */
function waiting(tenant: string, name: string, version = 1): Commit {
  return waitingDelivery(tenant, name, { origin: 'http://r.example', now: START, version });
}

describe('the start of deliveries', () => {
  let store: MemoryStore;
  let clock: { now: number };
  let nodes: Dispatched[];
  const start = (): Dispatched => {
    const started = performance.now();
    const now = (): number => clock.now + Math.floor(performance.now() - started);
    const node = dispatched(store, { now, random: () => 0.5 });
    nodes.push(node);
    return node;
  };
  beforeEach(() => {
    store = memoryStore();
    clock = { now: START };
    nodes = [];
  });
  afterEach(async () => {
    for (const node of nodes) {
      node.answer(DELIVERED);
      await node.close();
    }
  });

  it('tries every waiting delivery early, once, without an extra commit', async () => {
    await store.commit(Array.from({ length: 30 }, (_, n) => waiting('acme', `msg_${n}`)));
    const calls = store.calls.length;
    const node = start();
    await until(async () => {
      node.answer(RETRY);
      return node.sent.length === 30;
    });
    const waits = (): boolean => [...store.documents.values()].every(({ state }) => state === 'waiting');
    await until(async () => {
      node.answer(RETRY);
      return waits();
    });
    expect(new Set(node.sent).size).to.equal(30);
    expect(store.calls.slice(calls).flat().length).to.equal(60);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(node.sent).to.have.length(30);
    expect(node.faults).to.deep.equal([]);
  });

  it('tries nothing early after eight seconds', async () => {
    const node = start();
    clock.now = START + 8_000;
    await store.commit([waiting('acme', 'msg_late')]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(node.sent).to.deep.equal([]);
    clock.now = START + DAY_MS;
    await until(async () => node.sent.length === 1);
  });

  it('does not try its own deliveries early', async () => {
    const node = start();
    await node.dispatch('acme', 'msg_new', 'http://r.example/hook');
    node.answer({ ...RETRY, retryAfterS: 3_600 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(node.sent).to.deep.equal(['msg_new']);
  });

  it('skips deliveries that cannot be read', async () => {
    await store.commit([
      ...Array.from({ length: 20 }, (_, n) => waiting('acme', `msg_${n}`, 99)),
      waiting('acme', 'msg_plain'),
    ]);
    const node = start();
    await until(async () => node.sent.length === 1);
    expect(node.sent).to.deep.equal(['msg_plain']);
  });

  it('tries each delivery once on several nodes', async () => {
    store = memoryStore({ shared: true });
    await store.commit(Array.from({ length: 200 }, (_, n) => waiting('acme', `msg_${n}`)));
    const both = [start(), start()];
    const sent = (): string[] => both.flatMap((node) => node.sent);
    await until(async () => {
      for (const node of both) node.answer(DELIVERED);
      clock.now += 20;
      return sent().length >= 200;
    });
    expect(new Set(sent()).size).to.equal(200);
    expect(sent()).to.have.length(200);
  });
});
