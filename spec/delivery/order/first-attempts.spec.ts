import { expect } from 'chai';
import type { Answer } from '../../../src/delivery/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { until } from '../../actors/stage/queue.js';
import { seeded } from '../../faults/stage/random.js';
import { DELIVERED, NOON, RETRY } from '../driven-delivery.js';
import { dispatched, type Dispatched } from '../queue/dispatched.js';
import { alertId } from '../../../src/policy/alerts/alert-messages.js';

const URL = 'http://r.example/';

/** The ids of the alerts of one request for a subscription, oldest first: all of one ms. */
function alerts(subscriptionId: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) =>
    alertId({ tenantId: 'acme', serverId: 'web-1', subscriptionId, factId: 250 + n, firedAt: NOON }),
  );
}

describe('the first attempts of messages of rules without states', () => {
  let store: MemoryStore;
  let nodes: Dispatched[];
  const start = (shared: boolean, count: number): void => {
    store = memoryStore({ shared });
    const random = seeded(7);
    nodes = Array.from({ length: count }, () => dispatched(store, { now: Date.now, random }));
  };
  afterEach(async () => {
    for (const node of nodes) {
      node.answer(DELIVERED);
      await node.close();
    }
  });

  const handAll = (node: Dispatched, subscriptionId: string, ids: readonly string[]): Promise<unknown> => {
    const about = { tenant: 'acme', server: 'web-1', subscriptionId, factId: 1 };
    return Promise.all(ids.map((id) => node.dispatch('acme', id, URL, { about })));
  };
  const answerAll = async (count: number, answer: Answer): Promise<void> => {
    await until(async () => {
      for (const node of nodes) node.answer(answer);
      return new Set(nodes.flatMap(({ sent }) => sent)).size === count;
    });
  };
  /** The messages of a list in the order in which a node tried them first. */
  const first = ({ sent }: Dispatched, ids: readonly string[]): readonly string[] => [
    ...new Set(sent.filter((id) => ids.includes(id))),
  ];

  for (const shared of [false, true]) {
    it(`begin in the order of the messages, also of one ms, if all permits are taken (shared: ${shared})`, async () => {
      start(shared, 1);
      const [node] = nodes as [Dispatched];
      const one = alerts('s1', 100);
      const other = alerts('s2', 100);
      await handAll(node, 's1', one);
      await handAll(node, 's2', other);
      expect(node.sent).to.have.length(16);
      await answerAll(200, DELIVERED);
      expect(first(node, one)).to.deep.equal(one);
      expect(first(node, other)).to.deep.equal(other);
    });
  }

  it('begin in that order on each of several nodes', async () => {
    start(true, 2);
    const [one, other] = nodes as [Dispatched, Dispatched];
    const ids = [alerts('s1', 80), alerts('s2', 80), alerts('s3', 80)];
    await Promise.all(ids.map((all, n) => handAll(n % 2 === 0 ? one : other, `s${n + 1}`, all)));
    await answerAll(240, DELIVERED);
    for (const node of nodes) {
      for (const all of ids) expect(first(node, all)).to.deep.equal(first(node, all).toSorted());
    }
  });

  it('are not held up by retries', async () => {
    start(false, 1);
    const [node] = nodes as [Dispatched];
    const ids = alerts('s1', 30);
    await handAll(node, 's1', ids.slice(0, 1));
    node.answer(RETRY);
    await handAll(node, 's1', ids.slice(1, 16));
    expect(first(node, ids)).to.deep.equal(ids.slice(0, 16));
    node.answer(RETRY);
    await handAll(node, 's1', ids.slice(16));
    await answerAll(30, RETRY);
    expect(first(node, ids)).to.deep.equal(ids);
  });
});
