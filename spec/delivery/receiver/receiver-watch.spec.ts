import { expect } from 'chai';
import { receiverId, RECEIVER } from '../../../src/delivery/receiver/receiver-machine.js';
import { createReceiverWatch, type ReceiverWatch } from '../../../src/delivery/receiver/receiver-watch.js';
import type { Store } from '../../../src/store/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { nodes } from '../../actors/stage/nodes.js';
import { eventually } from '../../faults/stage/eventually.js';
import { ABOUT, DELIVERED, REFUSED, RETRY } from '../driven-delivery.js';
import { drivenReceiverKind } from './driven-receiver.js';

const URL = 'https://example.org/hook';
const ID = receiverId('acme', URL);
const SECOND = 1_000;

describe('the watch of receivers', () => {
  const start = nodes();
  const watches: ReceiverWatch[] = [];
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.close();
  });

  /** A node on a store, and the commits of receivers that it has made. */
  function node(store: Store) {
    let commits = 0;
    const { actors } = start({
      store,
      kinds: [drivenReceiverKind()],
      onCommit: ({ address }) => {
        if (address.kind === RECEIVER) commits += 1;
      },
    });
    const watch = createReceiverWatch({
      actors: () => actors,
      store,
      isKnown: async () => true,
      now: Date.now,
    });
    watches.push(watch);
    const tell = (answer: typeof DELIVERED | typeof RETRY): void =>
      watch.answered({ id: ID, url: URL, about: ABOUT, answer });
    return { watch, tell, commits: () => commits };
  }

  const stateIn = async (store: Store): Promise<string | undefined> =>
    (await store.load(`${RECEIVER}/acme/${ID}`))?.state;

  const untilState = (store: Store, state: string, withinMs: number) =>
    eventually(
      async () => (await stateIn(store)) === state || undefined,
      withinMs,
      async () => `the receiver is ${await stateIn(store)}`,
    );

  it('commits nothing more for a receiver that works, however many messages it takes', async () => {
    const store = memoryStore();
    const { watch, tell, commits } = node(store);
    tell(DELIVERED);
    await untilState(store, 'ok', 2 * SECOND);
    for (let i = 0; i < 1_000; i += 1) tell(DELIVERED);
    await new Promise(setImmediate);
    expect(commits()).to.equal(1);
    const counted = watch.unstored(ID)!.minutes.reduce((sum, [, tries]) => sum + tries, 0);
    expect(counted).to.equal(1_000);
  });

  it('stores the first failure at once, and the success that ends it', async () => {
    const store = memoryStore();
    const { tell, commits } = node(store);
    tell(DELIVERED);
    await untilState(store, 'ok', 2 * SECOND);
    tell(REFUSED);
    await untilState(store, 'failing', SECOND);
    tell(DELIVERED);
    await untilState(store, 'ok', SECOND);
    expect(commits()).to.equal(3);
  });

  it('commits the failures of a second together', async () => {
    const store = memoryStore();
    const { tell, commits } = node(store);
    for (let i = 0; i < 500; i += 1) tell(RETRY);
    await untilState(store, 'failing', SECOND);
    await new Promise(setImmediate);
    expect(commits()).to.equal(1);
  });

  it('lets a success on one node end what another node has found', async () => {
    const store: Store = { ...memoryStore(), shared: true };
    const [one, other] = [node(store), node(store)];
    other.tell(DELIVERED);
    await untilState(store, 'ok', 2 * SECOND);
    one.tell(RETRY);
    await untilState(store, 'failing', SECOND);
    other.tell(DELIVERED);
    await untilState(store, 'ok', 3 * SECOND);
  });

  it('stores what it knows when it is closed', async () => {
    const store = memoryStore();
    const { watch, tell } = node(store);
    tell(DELIVERED);
    await untilState(store, 'ok', 2 * SECOND);
    for (let i = 0; i < 10; i += 1) tell(DELIVERED);
    await watch.close();
    const { frequent } = (await store.load(`${RECEIVER}/acme/${ID}`))!;
    const { minutes } = JSON.parse(frequent) as { minutes: [number, number, number][] };
    expect(minutes.reduce((sum, [, , successes]) => sum + successes, 0)).to.equal(11);
  });
});
