import { expect } from 'chai';
import { exportedLines } from '../../src/operator/export.js';
import type { HistoryContext } from '../../src/policy/explain/history-machine.js';
import type { Transition } from '../../src/policy/state/subscription-state.js';
import type { TrendContext } from '../../src/policy/trend/trend-machine.js';
import { openMongo } from '../../src/store/mongo/mongo.js';
import type { NextDocument, Store, Stored } from '../../src/store/port.js';
import { runWords } from '../command/command-runs.js';
import type { ApiClient } from '../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, onceAbove } from '../e2e/policy/actions.js';
import { type Scene, scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { dropDatabase } from '../servers/drop-database.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { change, commitOne, create, creation, loadExisting, removal } from '../store/documents.js';
import { writtenFiles } from '../written-files.js';

const NOON = Date.parse('2026-11-27T12:00:00Z');
const MINUTE = 60_000;
const BUSY = onceAbove(85);

describe('an export of nodes on MongoDB that work meanwhile', () => {
  const mongo = mongoOfSuite();
  const open = scenes();
  const written = writtenFiles();

  /** Resolves with an export. `afterServers` runs once the page with the servers is read. */
  const exportOf = async (store: Store, afterServers: () => Promise<void>): Promise<string> => {
    const options = { store, version: '1', fingerprints: async () => ({}), now: Date.now };
    let text = '';
    let isAfter = false;
    for await (const piece of exportedLines(options)) {
      text += piece;
      if (isAfter || !piece.includes('"id":"server/')) continue;
      isAfter = true;
      await afterServers();
    }
    expect(isAfter).to.equal(true);
    return text;
  };

  it('has a message that a server hands over while it is read', async () => {
    const url = mongo.database();
    const store = await openMongo({ url });
    const server = 'server/t/web-1';
    await create(store, server, { frequent: '["message"]' });
    await store.commit(Array.from({ length: 300 }, (_, i) => creation(`delivery/t/${1_000 + i}`)));
    const text = await exportOf(store, async () => {
      await create(store, 'delivery/t/0', { frequent: '"message"' });
      await commitOne(store, change(server, await loadExisting(store, server), { frequent: '[]' }));
    });
    await store.close();
    await dropDatabase(url);
    expect(text).to.include('message');
  });

  it('has delivered messages of a server that was deleted, and made again by another node', async () => {
    const url = mongo.database();
    // The first node has the lower revisions.
    const [first, second] = [await openMongo({ url }), await openMongo({ url })];
    const subscribed = (id: string): Partial<NextDocument> => ({
      frequent: JSON.stringify({ factId: 1, subscriptions: [{ id }] }),
    });
    const deleted = await createAt(second, 'server/t/web-1', subscribed('old'));
    const message = (
      subscriptionId: string,
      revision: number,
      state = 'delivered',
    ): Partial<NextDocument> => ({
      state,
      frequent: JSON.stringify({
        about: { tenant: 't', server: 'web-1', subscriptionId, factId: 1, revision },
      }),
    });
    await createAt(second, 'delivery/t/old', message('old', deleted.revision));
    await commitOne(second, removal('server/t/web-1', deleted));
    const made = await createAt(first, 'server/t/web-1', subscribed('new'));
    expect(made.revision).to.be.below(deleted.revision);
    await createAt(first, 'delivery/t/new', message('new', made.revision));
    // More than a page.
    await first.commit(Array.from({ length: 300 }, (_, i) => creation(`delivery/t/other-${i}`)));
    const text = await exportOf(first, async () => {
      await createAt(first, 'delivery/t/later', message('new', made.revision + 1));
      await createAt(first, 'delivery/t/later-one', message('newer', made.revision + 2, 'waiting'));
    });
    await Promise.all([first, second].map((store) => store.close()));
    await dropDatabase(url);
    expect(
      [...text.matchAll(/delivery\/t\/((?:old|new|later)[^"]*)/g)].map(([, name]) => name),
    ).to.have.members(['old', 'new']);
  });

  it('has of a server only what was there when the server was read', async () => {
    const [from, to] = [mongo.database(), mongo.database()];
    let now = NOON;
    const receiver = await open.receiver((response) => response.writeHead(503).end());
    const service = await open.service({ MONGODB_URL: from }, () => now);
    okBody(await service.api.call('PUT', '/v1.0/demo', { windowsize: 1 }));
    const { ruleId } = await addSubscribedRule(service.api, 'web-1', receiver.origin, BUSY);
    const store = open.keep(await openMongo({ url: from }), (one) => one.close());
    const handedOver = async (messages: number, transitions: number): Promise<void> => {
      const counted = async () => [
        (await pendingOf(service.api)).length,
        (await newestIn<HistoryContext>(store, 'history'))?.last,
      ];
      await eventually(
        async () => ((await counted()).join() === `${messages},${transitions}` ? true : undefined),
        SOON_MS,
        async () => `${String(await counted())} messages and transitions are handed over`,
      );
    };
    const trended = (factId: number) =>
      eventually(
        async () => ((await newestIn<TrendContext>(store, 'trend'))?.factId === factId ? true : undefined),
        SOON_MS,
        () => 'the minutes are not handed over',
      );
    await cpu(service.api, 'web-1', 90);
    now += 11 * MINUTE;
    for (const value of [50, 95]) await cpu(service.api, 'web-1', value);
    await handedOver(3, 3);
    await trended(2);
    const before = await viewOf(service, ruleId);
    const text = await exportOf(store, async () => {
      now += 11 * MINUTE;
      for (const value of [40, 99]) await cpu(service.api, 'web-1', value);
      await handedOver(5, 5);
      await trended(4);
      now -= 11 * MINUTE;
    });
    await service.close();
    const file = await written.file('export.ndjson', text);
    const { code, err } = await runWords(['import', file], { MONGODB_URL: to });
    expect([code, err]).to.deep.equal([0, '']);

    const moved = await open.service({ MONGODB_URL: to }, () => now);
    expect(await viewOf(moved, ruleId)).to.deep.equal(before);
    // Its next facts get the numbers that others have in the exported service.
    now += 12 * MINUTE;
    for (const value of [30, 98]) await cpu(moved.api, 'web-1', value);
    const after = await eventually(
      async () => {
        const view = await viewOf(moved, ruleId);
        return view.pending.length >= 5 ? view : undefined;
      },
      SOON_MS,
      () => 'its messages are not made',
    );
    expect(after.pending.slice(0, 3)).to.deep.equal(before.pending);
    expect(after.history.map(({ factId, to: state }) => `${factId} ${state}`)).to.deep.equal([
      '5 firing',
      '4 calm',
      '3 firing',
      '2 calm',
      '1 firing',
    ]);
    expect(after.history[0]!.sentence).to.include('the mean of cpu is 98');
    expect(after.buckets.map(({ count, mean }) => [count, mean])).to.deep.equal([
      [1, 90],
      [2, 72.5],
      [2, 64],
    ]);
    await Promise.all([service, moved].map((one) => one.close()));
    await store.close();
    await Promise.all([from, to].map(dropDatabase));
  });
});

/** Creates a document with the next revision of a node. */
async function createAt(store: Store, id: string, fields: Partial<NextDocument>): Promise<Stored> {
  await commitOne(store, creation(id, fields, await store.nextRevision(0)));
  return loadExisting(store, id);
}

/** Resolves with the ids of the messages that wait, oldest first. */
async function pendingOf(api: ApiClient): Promise<readonly string[]> {
  const { deliveries } = okBody(await api.call('GET', '/operator/deliveries?state=pending')) as unknown as {
    deliveries: readonly { readonly id: string }[];
  };
  return deliveries.map(({ id }) => id).toReversed();
}

/** Resolves with what the service answers about the server. */
async function viewOf({ api }: Scene, ruleId: string) {
  const answerOf = async <T>(path: string): Promise<T> =>
    okBody(await api.call('GET', `/v1.0/demo/servers/web-1/${path}`)) as T;
  const { history } = await answerOf<{ history: readonly Transition[] }>('history');
  const { buckets } = await answerOf<{ buckets: readonly { count: number; mean: number }[] }>(
    'trend?metric=cpu',
  );
  return {
    explained: await answerOf<object>(`rules/${ruleId}/explain`),
    history,
    buckets,
    pending: await pendingOf(api),
  };
}

/** Resolves with the context of the only document of a kind; undefined if there is none. */
async function newestIn<C>(store: Store, kind: string): Promise<C | undefined> {
  const { items } = await store.list({ kind, limit: 2 });
  expect(items.length).to.be.at.most(1);
  return items[0] && (JSON.parse(items[0].frequent) as C);
}
