import { expect } from 'chai';
import { createNodeList, type NodeList } from '../../../src/operator/nodes/node-list.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { type MemoryStore, memoryStore } from '../../actors/stage/memory-store.js';
import { apiClient } from '../../e2e/api-client.js';
import { okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const HOUR_MS = 3_600_000;

describe('the list of nodes', () => {
  const open = scenes();
  let store: MemoryStore;
  let now: number;
  let errors: unknown[];
  beforeEach(() => {
    store = memoryStore();
    now = NOON;
    errors = [];
  });

  /** Starts a node that writes every 5 ms, as time stands still. */
  const start = async (id: string): Promise<NodeList> => {
    const onError = (error: unknown) => errors.push(error);
    const list = createNodeList({ store, id, version: '1.2.3', now: () => now, onError, everyMs: 5 });
    await list.start(`${id}:8080`);
    return open.keep(list, (one) => one.close());
  };
  const seen = (list: NodeList, id: string, at: number) =>
    eventually(
      async () => (await list.nodes()).find((node) => node.id === id && Date.parse(node.seenAt) === at),
      SOON_MS,
      () => `${id} was not seen at ${new Date(at).toISOString()}`,
    );

  it('has each node that writes, and when it was seen', async () => {
    const one = await start('one');
    await seen(one, 'one', NOON);
    now += 1_000;
    await start('two');
    await seen(one, 'two', now);
    now += 1_000;
    await seen(one, 'one', now);
    await seen(one, 'two', now);
    const at = (ms: number): string => new Date(NOON + ms).toISOString();
    expect(await one.nodes()).to.deep.equal([
      { id: 'two', version: '1.2.3', startedAt: at(1_000), seenAt: at(2_000), address: 'two:8080' },
      { id: 'one', version: '1.2.3', startedAt: at(0), seenAt: at(2_000), address: 'one:8080' },
    ]);
  });

  it('keeps a node that has ended for a day; the next start removes its document', async () => {
    const gone = await start('gone');
    await seen(gone, 'gone', NOON);
    await gone.close();
    now += 24 * HOUR_MS - 1;
    const one = await start('one');
    await seen(one, 'one', now);
    const ids = async () => (await one.nodes()).map(({ id }) => id);
    expect(await ids()).to.deep.equal(['one', 'gone']);
    now += 1;
    expect(await ids()).to.deep.equal(['one']);
    expect([...store.documents.keys()]).to.include('node/service/gone');
    await start('two');
    await eventually(
      () => (store.documents.has('node/service/gone') ? undefined : true),
      SOON_MS,
      () => 'the document is still there',
    );
    expect([...store.documents.keys()]).to.include.members(['node/service/one']);
  });

  it('goes on after writes whose outcome is unknown', async () => {
    let fail: 'before' | 'after' | undefined;
    store.between.commit = async (_batch, apply) => {
      const outcomes = fail === 'before' ? [] : apply();
      if (fail !== undefined) throw new StoreUnavailable('away');
      return outcomes;
    };
    const one = await start('one');
    await seen(one, 'one', NOON);
    for (const how of ['before', 'after'] as const) {
      fail = how;
      errors = [];
      await eventually(
        () => (errors.length >= 3 ? true : undefined),
        SOON_MS,
        () => 'no write fails',
      );
      fail = undefined;
      now += 1_000;
      await seen(one, 'one', now);
    }
  });

  it('has the former lives of a service with the embedded store, in no list of actors', async () => {
    const settings = { DATA_DIR: await open.folder() };
    const startedAt = Date.now();
    const before = await open.service(settings);
    const listed = async (url: string) =>
      okBody(await (await apiClient(url)).call('GET', '/operator/nodes'))['nodes'] as never as {
        readonly id: string;
        readonly version: string;
        readonly startedAt: string;
        readonly seenAt: string;
        readonly address: string;
      }[];
    const [first] = await listed(before.url);
    expect(first!.address).to.equal(new URL(before.url).host.replace('localhost', '127.0.0.1'));
    expect(first!.version).to.equal('0.0.0-spec');
    expect(Date.parse(first!.seenAt)).to.be.within(startedAt, Date.now());
    await before.close();
    const later = await open.service(settings);
    const nodes = await listed(later.url);
    expect(nodes).to.have.length(2);
    expect(nodes[1]!.id).to.equal(first!.id);
    expect(nodes[1]!.startedAt).to.equal(first!.startedAt);
    expect(nodes[0]!.id).not.to.equal(first!.id);
    expect(Date.parse(nodes[0]!.startedAt)).to.be.at.least(Date.parse(nodes[1]!.seenAt));
    const { actors } = okBody(await later.api.call('GET', '/operator/actors')) as {
      readonly actors?: unknown;
    };
    expect(JSON.stringify(actors)).not.to.include(first!.id);
  });
});
