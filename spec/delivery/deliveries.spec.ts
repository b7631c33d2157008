import { expect } from 'chai';
import { memoryStore, type MemoryStore } from '../actors/stage/memory-store.js';
import type { Commit } from '../../src/store/port.js';
import { until } from '../actors/stage/queue.js';
import { dispatched, type Dispatched } from './queue/dispatched.js';
import { DELIVERED } from './driven-delivery.js';

const names = (count: number, prefix = 'msg'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}_${String(n).padStart(5, '0')}`);

const waitingIn = (store: MemoryStore): number =>
  [...store.documents.values()].filter(({ state }) => state === 'waiting').length;

describe('deliveries', () => {
  let store: MemoryStore;
  let node: Dispatched;
  beforeEach(() => {
    store = memoryStore();
    node = dispatched(store, { now: Date.now, random: () => 0.5 });
  });
  afterEach(async () => {
    node.answer(DELIVERED);
    await node.close();
    expect(node.faults).to.deep.equal([]);
  });

  const handAll = (tenant: string, ids: readonly string[], url: (n: number) => string): Promise<unknown> =>
    Promise.all(ids.map((id, n) => node.dispatch(tenant, id, url(n))));

  it('to a hanging receiver take 16 permits; the others wait with one commit each', async () => {
    await handAll('acme', names(500), () => 'http://r.example/');
    expect(node.inFlight.size).to.equal(16);
    expect(waitingIn(store)).to.equal(484);
    expect(store.calls.flat()).to.have.length(500);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(store.calls.flat()).to.have.length(500);
  });

  it('that wait take freed permits, with two commits for each attempt', async () => {
    await handAll('acme', names(100), () => 'http://r.example/');
    const before = store.calls.flat().length;
    node.answer(DELIVERED);
    await until(async () => node.inFlight.size === 16 && node.sent.length === 32);
    expect(store.calls.flat().length - before).to.equal(32);
    expect(new Set(node.sent).size).to.equal(32);
  });

  it('to a healthy receiver all arrive, each once', async () => {
    await handAll('acme', names(400), () => 'http://r.example/');
    await until(async () => {
      node.answer(DELIVERED);
      return node.sent.length === 400;
    });
    expect(new Set(node.sent).size).to.equal(400);
  });

  it('to receivers without an answer take at most 192 permits of a tenant, and none of other tenants', async () => {
    await handAll('acme', names(300), (n) => `http://r${n}.example/`);
    expect(node.inFlight.size).to.equal(192);
    await node.dispatch('other', 'msg_other', 'http://r0.example/');
    expect(node.inFlight.has('msg_other')).to.equal(true);
  });

  it('to a receiver that answers are tried at once while 300 others of the tenant hang', async () => {
    await node.dispatch('acme', 'msg_first', 'http://well.example/');
    node.answer(DELIVERED);
    await until(async () => node.inFlight.size === 0);
    await handAll('acme', names(300), (n) => `http://r${n}.example/`);
    await handAll('acme', names(20, 'well'), () => 'http://well.example/');
    expect([...node.inFlight].filter((id) => id.startsWith('well'))).to.have.length(16);
    expect(node.inFlight.size).to.equal(192 + 16);
  });

  it('that get an attempt take no turn; the others take one each, and end it once they wait', async () => {
    let turns = 0;
    let ended = 0;
    const turn = async () => {
      turns += 1;
      return () => void (ended += 1);
    };
    await Promise.all(names(20).map((id) => node.dispatch('acme', id, 'http://r.example/', {}, turn)));
    expect([turns, ended]).to.deep.equal([4, 4]);
    expect([node.inFlight.size, waitingIn(store)]).to.deep.equal([16, 4]);
  });

  it('whose turn comes late take a permit that is free then', async () => {
    await handAll('acme', names(16), () => 'http://r.example/');
    let begin!: () => void;
    const turn = () => new Promise<() => void>((resolve) => (begin = () => resolve(() => {})));
    const late = node.dispatch('acme', 'msg_late', 'http://r.example/', {}, turn);
    node.answer(DELIVERED);
    await until(async () => node.inFlight.size === 0);
    begin();
    await late;
    expect([...node.inFlight]).to.deep.equal(['msg_late']);
    expect(waitingIn(store)).to.equal(0);
  });

  it('do not overtake those that begin to wait', async () => {
    await handAll('acme', names(16), () => 'http://r.example/');
    const older = node.dispatch('acme', 'msg_older', 'http://r.example/');
    node.answer(DELIVERED);
    await until(async () => node.inFlight.size === 0);
    await Promise.all([older, node.dispatch('acme', 'msg_z', 'http://r.example/')]);
    await until(async () => node.sent.length === 18);
    expect(node.sent.slice(16)).to.deep.equal(['msg_older', 'msg_z']);
  });

  it('to a receiver that another tenant floods get its next permits', async () => {
    await handAll('flood', names(200), () => 'http://shared.example/');
    await handAll('calm', names(3, 'calm'), () => 'http://shared.example/');
    expect([...node.inFlight].filter((id) => id.startsWith('calm'))).to.deep.equal([]);
    node.answer(DELIVERED);
    await until(async () => node.sent.length === 32 && node.inFlight.size === 16);
    expect([...node.inFlight].filter((id) => id.startsWith('calm'))).to.have.length(3);
  });

  it('that were being sent when a process ended take free permits; the rest of them wait', async () => {
    await node.close();
    store = memoryStore();
    const sending = names(20).map((name): Commit => {
      const message = { channel: 'webhook', url: 'http://r.example/', body: '{}' };
      const about = { tenant: 'acme', server: 's', subscriptionId: 'u', factId: 1 };
      const outbox = [{ id: 'attempt:1', type: 'attempt' }];
      const frequent = JSON.stringify({ since: Date.now(), tries: 0, attempts: [], outbox });
      const rare = JSON.stringify({ message, about });
      const next = { version: 1, state: 'sending', wakeAt: Date.now(), frequent, rare };
      const id = `delivery/acme/${name}`;
      return { id, expected: 0, revision: 1, commitId: name, next, previous: undefined };
    });
    await store.commit(sending);
    node = dispatched(store, { now: Date.now, random: () => 0 });
    await until(async () => node.inFlight.size === 16 && waitingIn(store) === 4);
    node.answer(DELIVERED);
    await until(async () => node.sent.length === 20);
  });

  it('that arrive while the store fails do not overtake waiting ones', async () => {
    await handAll('acme', names(17), () => 'http://r.example/');
    const answering = { ...store };
    store.queued = () => Promise.reject(new Error('away'));
    store.queues = () => Promise.reject(new Error('away'));
    node.answer(DELIVERED);
    await until(async () => node.faults.length > 0);
    await node.dispatch('acme', 'msg_new', 'http://r.example/');
    expect(node.inFlight.size).to.equal(0);
    Object.assign(store, answering);
    await until(async () => node.sent.length === 18);
    expect(node.sent.slice(16)).to.deep.equal(['msg_00016', 'msg_new']);
    node.faults.length = 0;
  });

  it('dispatched twice are sent once and use one permit', async () => {
    await node.dispatch('acme', 'msg_a', 'http://r.example/');
    await node.dispatch('acme', 'msg_a', 'http://r.example/');
    node.answer(DELIVERED);
    await until(async () => store.documents.get('delivery/acme/msg_a')?.state === 'delivered');
    await node.dispatch('acme', 'msg_a', 'http://r.example/');
    await handAll('acme', names(16), () => 'http://r.example/');
    expect(node.sent).to.have.length(17);
  });
});
