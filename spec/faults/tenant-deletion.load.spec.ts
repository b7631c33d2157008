import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { reservedPort } from '../servers/ports.js';
import { apiClient, type ApiClient, request } from '../e2e/api-client.js';
import { factsBody, okBody } from '../e2e/policy/actions.js';
import { storedWith } from '../e2e/policy/lifecycle/stored.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { inBatches } from '../../src/system/in-batches.js';
import { ALWAYS } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';

const SERVERS = 10_000;
/** Servers of the deleted tenant with a subscription, whose messages wait. */
const SUBSCRIBED = 1_000;
/** Elements of a request for facts of many servers, and requests at once. */
const BATCH = 500;
const AT_ONCE = 16;
/** Servers of the other tenant, and its concurrent clients. */
const CALM = { servers: 200, clients: 4 };
/** Time of a process before it is measured, and of the measurement of a quiet service, ms. */
const WARM_MS = 2_000;
const QUIET_MS = 5_000;
/** Time between the request, or a start, and a kill, ms: long enough that a part is deleted. */
const KILL_MS = 1_500;
const ENDS_MS = 180_000;

describe('the deletion of a tenant with 10,000 servers, killed twice', () => {
  let mongo: MongoServer | undefined;
  let services: Launcher;
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo?.stop());
  afterEach(() => services.close());

  it('leaves nothing, and slows down no other tenant: embedded store', async () => {
    await judge({});
  });

  it('leaves nothing, and slows down no other tenant: MongoDB', async function () {
    if (mongo === undefined) this.skip();
    await judge({ MONGODB_URL: mongo.database() });
  });

  async function judge(settings: Readonly<Record<string, string>>): Promise<void> {
    // One address over all restarts.
    const PORT = String(await reservedPort());
    services = await launcher({ IDENTITY_USERS: 'demo:demo:demo,calm:calm:calm', PORT, ...settings });
    let service = await services.start();
    let api = await apiClient(service.url);
    const calm = await apiClient(service.url, 'calm', 'calm', 'calm');
    await fill(api);
    okBody(await calm.call('PUT', '/v1.0/calm', { windowsize: 5 }));
    const { tenants } = okBody(await api.call('GET', '/operator/tenants')) as unknown as {
      readonly tenants: readonly {
        readonly id: string;
        readonly names: readonly string[];
        readonly servers: number;
      }[];
    };
    const { id, servers } = tenants.find(({ names }) => names.includes('demo'))!;
    expect(servers).to.equal(SERVERS);
    const documents = (await storedWith(api, `/${id}/`)).length;
    const restart = async (): Promise<void> => {
      await service.kill('SIGKILL');
      service = await services.start();
      api = await apiClient(service.url);
    };

    const run = { on: true, waits: [] as number[] };
    await restart();
    const load = [
      ...Array.from({ length: CALM.clients }, (_, n) => send(service.url, 'calm', CALM.servers, n, run)),
      // Facts of the tenant itself go on: they are 404 from the deletion on.
      send(service.url, 'demo', SERVERS, 0, {
        get on() {
          return run.on;
        },
        waits: [],
      }),
    ];
    await pause(WARM_MS);
    run.waits = [];
    await pause(QUIET_MS);
    const quiet = quantile(run.waits, 0.5);

    const asked = performance.now();
    expect((await api.call('DELETE', `/operator/tenants/${id}`)).status).to.equal(202);
    for (let kills = 0; kills < 2; kills += 1) {
      await pause(KILL_MS);
      expect((await storedWith(api, `/${id}/`)).length, 'documents before a kill').to.be.above(0);
      await restart();
    }
    await pause(WARM_MS);
    run.waits = [];
    await eventually(
      async () => {
        await pause(500);
        return (await api.call('DELETE', `/operator/tenants/${id}`)).status === 404 || undefined;
      },
      ENDS_MS,
      async () => `${(await storedWith(api, `/${id}/`)).length} documents are left`,
    );
    const busy = quantile(run.waits, 0.5);
    const tookMs = performance.now() - asked;
    run.on = false;
    await Promise.all(load);

    expect(await storedWith(api, `/${id}/`)).to.deep.equal([]);
    expect(await storedWith(api, `"id":"tenant-name/demo/`)).to.deep.equal([]);
    const figures = { documents, tookMs, quiet, busy, ratio: busy / quiet, requests: run.waits.length };
    console.log(JSON.stringify(figures));
    expect(figures.ratio, 'median of the facts of another tenant to that of a quiet service').to.be.at.most(
      1.5,
    );
  }
});

/** Gives the tenant its servers, each with a fact, some with a rule that fires and messages that wait. */
async function fill(api: ApiClient): Promise<void> {
  okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 1 }));
  const ruleId = okBody(await api.call('POST', '/v1.0/demo/rules', ALWAYS))['ruleId']!;
  const all = Array.from({ length: SERVERS }, (_, n) => `server-${n}`);
  for await (const some of inBatches(all.slice(0, SUBSCRIBED), AT_ONCE))
    await Promise.all(
      some.map(async (server) => {
        const path = `/v1.0/demo/servers/${server}/subscription`;
        okBody(await api.call('POST', path, { ruleId, url: 'http://127.0.0.1:9/down' }));
      }),
    );
  for await (const some of inBatches(all, BATCH)) {
    const data = some.map((id) => ({ id, type: 'host', cpuLoadPct: 90 }));
    expect(okBody(await api.call('POST', '/v1.0/demo/notify', { data }))['facts']).to.equal(some.length);
  }
}

/** Sends facts of a tenant one after the other until the run ends. A service that is killed is asked again. */
async function send(
  url: string,
  tenant: string,
  servers: number,
  first: number,
  run: { readonly on: boolean; waits: number[] },
): Promise<void> {
  const body = factsBody({ cpuLoadPct: 10 });
  for (let n = first; run.on; n += CALM.clients) {
    const begun = performance.now();
    try {
      const { status } = await request(`${url}/${tenant}/servers/server-${n % servers}`, 'POST', body);
      if (status === 200) run.waits.push(performance.now() - begun);
      else await pause(20);
    } catch {
      await pause(20);
    }
  }
}

function quantile(values: readonly number[], share: number): number {
  expect(values).to.not.deep.equal([]);
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}
