import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { ALWAYS, factsBody } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { type Launched, launcher, type Launcher } from './stage/service-process.js';

const SUBSCRIPTIONS = 1_000;
const FACTS = 24;
/** Sequential measurements of the other tenant in each part of the run. */
const MEASURED = 400;
/** Duration of the measurement of idle processes, ms. */
const IDLE_MS = 12_000;
const USERS = 'demo:demo:demo,calm:calm:calm';

type Node = Launched & { readonly url: string };

/** Waits of the other tenant, ms: for the answers to its facts, and for its webhooks. */
interface Figures {
  readonly median: number;
  readonly p99: number;
}

describe('24,000 deliveries to a dead receiver', () => {
  let mongo: MongoServer | undefined;
  let services: Launcher;
  let dead: Receiver;
  let lively: Receiver;

  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo?.stop());
  beforeEach(async () => {
    dead = await startReceiver(() => undefined);
    lively = await startReceiver((response) => response.end());
  });
  afterEach(async () => {
    await services.close();
    await Promise.all([dead.stop(), lively.stop()]);
  });

  it('delay their tenant only, on the embedded store', async () => {
    services = await launcher({ IDENTITY_USERS: USERS });
    await judge([await services.start()]);
  });

  it('delay their tenant only, with two nodes on MongoDB', async function () {
    if (mongo === undefined) this.skip();
    services = await launcher({ IDENTITY_USERS: USERS, MONGODB_URL: mongo.database() });
    await judge(await Promise.all([services.start(), services.start()]));
  });

  it('all survive kill -9, and are attempted once the receiver recovers', async () => {
    services = await launcher();
    const first = await services.start();
    const api = await apiClient(first.url);
    const urls = Array.from({ length: SUBSCRIPTIONS }, (_, n) => `${dead.origin}/${n}`);
    await subscribeAll(api, 'demo', 'stuck', urls);
    for (let n = 0; n < 3; n += 1) {
      if (n > 0) await dispatched(api);
      await fact(api, 'demo', 'stuck');
    }
    await first.kill('SIGKILL');
    const { port } = dead;
    await dead.stop();
    dead = await startReceiver((response) => response.end(), { port });
    await services.start();
    const ids = (): number => new Set(dead.got.map(({ headers }) => headers['webhook-id'])).size;
    await eventually(
      () => (ids() === 3 * SUBSCRIPTIONS ? true : undefined),
      SOON_MS,
      () => `${ids()} have arrived`,
    );
  });

  async function judge(nodes: readonly Node[]): Promise<void> {
    const apis = await Promise.all(nodes.map(({ url }) => apiClient(url)));
    const calm = await Promise.all(nodes.map(({ url }) => apiClient(url, 'calm', 'calm', 'calm')));
    await subscribeAll(calm[0]!, 'calm', 'well', [lively.origin]);
    await measure(calm, 100);
    const quiet = await measure(calm, MEASURED);

    const urls = Array.from({ length: SUBSCRIPTIONS }, (_, n) => `${dead.origin}/${n}`);
    await subscribeAll(apis[0]!, 'demo', 'stuck', urls);
    for (let n = 0; n < FACTS; n += 1) {
      await fact(apis[0]!, 'demo', 'stuck');
      await dispatched(apis[0]!);
    }
    const waiting = await pendingOf(apis[0]!);
    expect(waiting).to.equal(SUBSCRIPTIONS * FACTS);
    const shares = await cpuShares(apis);
    const loaded = await measure(calm, MEASURED);
    expect(await pendingOf(apis[0]!)).to.equal(SUBSCRIPTIONS * FACTS);

    console.log(JSON.stringify({ shares, quiet, loaded }));
    for (const share of shares) expect(share, 'share of a core while nothing happens').to.be.below(0.2);
    expect(loaded.median / quiet.median, 'median of facts to that of a quiet service').to.be.at.most(1.5);
    expect(loaded.p99 / quiet.p99, 'p99 of webhooks to that of a quiet service').to.be.at.most(3);
  }

  /** Creates a server whose every fact fires a webhook to each url. */
  async function subscribeAll(
    api: ApiClient,
    tenant: string,
    server: string,
    urls: readonly string[],
  ): Promise<void> {
    expect((await api.call('PUT', `/v1.0/${tenant}`, { windowsize: 1 })).status).to.equal(200);
    const path = `/v1.0/${tenant}/servers/${server}`;
    const { body } = await api.call('POST', `${path}/rules`, ALWAYS);
    for (const url of urls) {
      const bound = await api.call('POST', `${path}/subscription`, { ruleId: body['ruleId'], url });
      expect(bound.status, bound.text).to.equal(200);
    }
  }

  async function fact(api: ApiClient, tenant: string, server: string): Promise<void> {
    const { status, text } = await api.call('POST', `/v1.0/${tenant}/servers/${server}`, factsBody(1));
    expect(status, text).to.equal(200);
  }

  /** Sends facts of the other tenant to the nodes in turn, each after the webhook of the previous one. */
  async function measure(nodes: readonly ApiClient[], count: number): Promise<Figures> {
    const facts: number[] = [];
    const webhooks: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const before = lively.got.length;
      const started = performance.now();
      await fact(nodes[n % nodes.length]!, 'calm', 'well');
      facts.push(performance.now() - started);
      while (lively.got.length === before) await pause(1);
      webhooks.push(performance.now() - started);
    }
    return { median: quantile(facts, 0.5), p99: quantile(webhooks, 0.99) };
  }

  async function dispatched(api: ApiClient): Promise<void> {
    await eventually(
      async () => {
        const path = `/operator/actors/server/${await tenantOf(api)}/stuck`;
        const { status, text } = await api.call('GET', path);
        expect(status, text).to.equal(200);
        return (JSON.parse(text) as { outbox: unknown[] }).outbox.length === 0 ? true : undefined;
      },
      SOON_MS,
      () => 'the messages are not dispatched',
    );
  }

  /** Returns the id of the first tenant, for the operators’ views. */
  async function tenantOf(api: ApiClient): Promise<string> {
    const { text } = await api.call('GET', '/operator/actors?kind=server');
    const { actors } = JSON.parse(text) as { actors: { name: string; tenant: string }[] };
    return actors.find(({ name }) => name === 'stuck')!.tenant;
  }

  /** Returns the number of pending deliveries of the first tenant. */
  async function pendingOf(api: ApiClient): Promise<number> {
    let count = 0;
    const query = `kind=delivery&tenant=${await tenantOf(api)}&limit=1000`;
    for (let after = ''; ;) {
      const { text } = await api.call('GET', `/operator/actors?${query}${after}`);
      const { actors, next } = JSON.parse(text) as { actors: { state: string }[]; next: string | null };
      count += actors.filter(({ state }) => state === 'waiting' || state === 'sending').length;
      if (next === null) return count;
      after = `&after=${encodeURIComponent(next)}`;
    }
  }

  /** Returns the share of a core that each idle process uses. */
  async function cpuShares(nodes: readonly ApiClient[]): Promise<number[]> {
    const used = (): Promise<number[]> =>
      Promise.all(
        nodes.map(async (api) => {
          const { text } = await api.call('GET', '/metrics');
          return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)![1]);
        }),
      );
    const before = await used();
    const started = performance.now();
    await pause(IDLE_MS);
    const spent = (performance.now() - started) / 1_000;
    return (await used()).map((after, n) => (after - before[n]!) / spent);
  }
});

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(part * sorted.length)]!;
}
