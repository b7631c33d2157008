import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { quiet, until } from '../../actors/stage/queue.js';
import { longestTurn } from '../../system/longest-turn.js';
import { DELIVERED, REFUSED, RETRY } from '../driven-delivery.js';
import { dispatched, type Dispatched } from '../queue/dispatched.js';

const URL = 'http://r.example/';
/** Short times of the runtime: what an ended node left behind is taken over soon. */
const LIMITS = { retryMs: 200, sweepMs: 20, freshMs: 20 };
const CLOCK = { now: Date.now, random: () => 0 };

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `msg_${String(n).padStart(5, '0')}`);

describe('deliveries in order', () => {
  let store: MemoryStore;
  let nodes: Dispatched[];
  const start = (): Dispatched => {
    const node = dispatched(store, CLOCK, LIMITS);
    nodes.push(node);
    return node;
  };
  beforeEach(() => {
    store = memoryStore();
    nodes = [];
  });
  afterEach(async () => {
    for (const node of nodes) {
      node.answer(DELIVERED);
      await node.close();
    }
  });

  const states = (): readonly string[] => [...store.documents.values()].map(({ state }) => state);
  const stateOf = (id: string): string | undefined => store.documents.get(`delivery/acme/${id}`)?.state;

  /** Dispatches the messages of one subscription, each behind the one before. */
  const handChain = async (node: Dispatched, ids: readonly string[], before?: string): Promise<void> => {
    let after = before;
    for (const id of ids) {
      await node.dispatch('acme', id, URL, after === undefined ? {} : { after });
      after = id;
    }
  };

  it('cost nothing more if the one before is over', async () => {
    const node = start();
    await handChain(node, ['msg_0']);
    node.answer(DELIVERED);
    await until(async () => stateOf('msg_0') === 'delivered');
    const commits = store.calls.flat().length;
    await handChain(node, ['msg_1'], 'msg_0');
    expect([...node.inFlight]).to.deep.equal(['msg_1']);
    node.answer(DELIVERED);
    await until(async () => stateOf('msg_1') === 'delivered');
    expect(store.calls.flat().length - commits).to.equal(2);
  });

  it('are sent one after the other, and cost nothing while they are blocked', async () => {
    const node = start();
    const ids = names(5);
    await handChain(node, ids);
    await until(async () => states().filter((state) => state === 'blocked').length === 4);
    await quiet();
    const commits = (): number => store.calls.flat().filter(({ id }) => !id.endsWith(ids[0]!)).length;
    const before = commits();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(commits()).to.equal(before);
    expect(node.sent).to.deep.equal(['msg_00000']);
    for (const [n, id] of ids.entries()) {
      await until(async () => node.inFlight.has(id));
      expect(node.sent).to.deep.equal(ids.slice(0, n + 1));
      node.answer(n === 2 ? REFUSED : DELIVERED);
    }
    await until(async () => stateOf('msg_00004') === 'delivered');
  });

  it('do not hold up those of another subscription to the same receiver', async () => {
    const node = start();
    await handChain(node, names(20));
    await node.dispatch('acme', 'other', URL, {
      about: { tenant: 'acme', server: 's', subscriptionId: 'v', factId: 1 },
    });
    expect([...node.inFlight]).to.deep.equal(['msg_00000', 'other']);
    node.answer(RETRY);
    await until(async () => node.sent.length === 4);
    expect(new Set(node.sent)).to.deep.equal(new Set(['msg_00000', 'other']));
  });

  it('of a long chain are all sent, and the event loop is never held for long', async () => {
    const node = start();
    const ids = names(1_500);
    await handChain(node, ids);
    await until(async () => states().filter((state) => state === 'blocked').length === ids.length - 1);
    const longest = await longestTurn(() =>
      until(async () => {
        node.answer(DELIVERED);
        return node.sent.length === ids.length;
      }),
    );
    expect(node.sent).to.deep.equal(ids);
    expect(longest).to.be.below(250);
  });

  it('go on where they were after a restart', async () => {
    const first = start();
    const ids = names(6);
    await handChain(first, ids);
    await first.close();
    const second = start();
    for (const id of ids) {
      await until(async () => second.inFlight.has(id));
      second.answer(DELIVERED);
    }
    expect(second.sent).to.deep.equal(ids);
  });

  it('are in order whichever commit the store loses', async () => {
    const ids = names(4);
    // Each commit of the story once: lost, or applied with its answer lost.
    for (const isApplied of [false, true]) {
      for (let lost = 0; lost < 16; lost += 1) {
        store = memoryStore();
        const node = start();
        let commits = 0;
        store.between.commit = (_batch, apply) => {
          commits += 1;
          if (commits !== lost + 1) return Promise.resolve(apply());
          if (isApplied) apply();
          return Promise.reject(new StoreUnavailable('away on purpose'));
        };
        let after: string | undefined;
        for (const id of ids) {
          // The server hands a message over until that is done, and none before.
          const handed = (): Promise<boolean> =>
            node.dispatch('acme', id, URL, after === undefined ? {} : { after }).then(
              () => true,
              () => false,
            );
          await until(handed);
          after = id;
        }
        await until(async () => {
          node.answer(DELIVERED);
          return stateOf(ids.at(-1)!) === 'delivered';
        });
        const first = [...new Set(node.sent)];
        expect(first, `commit ${lost}, ${isApplied}`).to.deep.equal(ids);
        await node.close();
      }
    }
  });
});

describe('deliveries in order, on two nodes', () => {
  let store: MemoryStore;
  let nodes: readonly [Dispatched, Dispatched];
  beforeEach(() => {
    store = memoryStore({ shared: true });
    nodes = [dispatched(store, CLOCK, LIMITS), dispatched(store, CLOCK, LIMITS)];
  });
  afterEach(async () => {
    for (const node of nodes) {
      node.answer(DELIVERED);
      await node.close();
    }
  });

  it('are sent one after the other, and by the other node if one is lost', async () => {
    const [one, other] = nodes;
    const ids = names(40);
    let after: string | undefined;
    for (const [n, id] of ids.entries()) {
      const node = n % 3 === 0 ? one : other;
      await node.dispatch('acme', id, URL, after === undefined ? {} : { after });
      after = id;
    }
    const delivered = (): readonly string[] =>
      ids.filter((id) => store.documents.get(`delivery/acme/${id}`)?.state === 'delivered');
    const isInOrder = (): void => {
      const done = delivered();
      expect(done).to.deep.equal(ids.slice(0, done.length));
      const sent = new Set([...one.sent, ...other.sent]);
      expect([...sent].toSorted()).to.deep.equal(ids.slice(0, sent.size));
      expect(sent.size - done.length).to.be.below(2);
    };
    await until(async () => {
      isInOrder();
      one.answer(DELIVERED);
      other.answer(DELIVERED);
      return delivered().length >= 20;
    });
    // Its attempt never has an answer.
    await one.close();
    await until(async () => {
      isInOrder();
      other.answer(DELIVERED);
      return delivered().length === ids.length;
    });
  });
});
