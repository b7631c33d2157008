import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { okBody, windowSize } from '../e2e/policy/actions.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { openCallback, realBroker } from '../servers/broker.js';
import type { AskedBroker, Callback } from '../e2e/brokers/asked-broker.js';
import { ALWAYS } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';

const SERVER = '/v1.0/demo/servers/web-1';

/** Forwards requests to Orion. After `hold`, Orion creates a subscription but its answer is withheld. */
async function relayTo(orion: AskedBroker) {
  let made: (() => void) | undefined;
  const server: Server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { method = '', url = '', headers } = request;
      const { connection: _, host: _host, 'content-length': _length, ...passed } = headers;
      const answer = await fetch(orion.url + url, {
        method,
        headers: passed as Record<string, string>,
        ...(body === '' ? {} : { body }),
      });
      const received = await answer.text();
      if (made !== undefined && method === 'POST') made();
      else response.writeHead(answer.status, Object.fromEntries(passedOn(answer.headers))).end(received);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () =>
      new Promise<void>((resolve) => {
        made = resolve;
      }),
    release() {
      made = undefined;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function passedOn(headers: Headers): [string, string][] {
  return ['content-type', 'location', 'fiware-total-count'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
}

describe('a service killed after Orion created a subscription', () => {
  let orion: AskedBroker | undefined;
  let callback: Callback;
  let tenant: string;
  let relay: Awaited<ReturnType<typeof relayTo>>;
  let services: Launcher;
  let client: ApiClient;

  before(function () {
    orion = realBroker('ORION_TEST_URL');
    if (orion === undefined) this.skip();
  });
  beforeEach(async () => {
    relay = await relayTo(orion!);
    callback = await openCallback();
    tenant = `spec_${randomUUID().slice(0, 8)}`;
    services = await launcher({ ...callback.settings, BROKER_URL: relay.url, BROKER_TENANT: tenant });
  });
  afterEach(async () => {
    await services.close();
    await callback.close();
    await relay.close();
  });

  const ask = (method: string, path: string, body?: object) =>
    orion!.call(method, path, body, { 'fiware-service': tenant, 'fiware-servicepath': '/' });

  const held = async (): Promise<string[]> =>
    ((await ask('GET', '/v2/subscriptions')).body as { id: string }[]).map(({ id }) => id);

  /** Returns the values of cpu in the server’s window. */
  const counted = async (): Promise<readonly number[]> => {
    const { actors } = okBody(await client.call('GET', '/operator/actors?kind=server')) as unknown as {
      actors: { tenant: string }[];
    };
    const shown = okBody(await client.call('GET', `/operator/actors/server/${actors[0]!.tenant}/web-1`));
    return (shown['context'] as unknown as { windows: { tracked: { cpu: { values: number[] } } } }).windows
      .tracked.cpu.values;
  };

  it('ends that subscription after the next start, and no other: each measurement counts once', async () => {
    const stranger = {
      description: 'Mirzam policy rules of somebody else',
      subject: { entities: [{ id: 'web-1', type: 'host' }], condition: { attrs: ['cpuLoadPct'] } },
      notification: { http: { url: 'http://127.0.0.1:9/stranger' }, attrs: ['cpuLoadPct'] },
    };
    expect((await ask('POST', '/v2/subscriptions', stranger)).status).to.equal(201);
    const strangers = await held();

    const first = await services.start();
    client = await apiClient(first.url);
    await windowSize(client, 20);
    const { ruleId } = okBody(await client.call('POST', `${SERVER}/rules`, ALWAYS));
    const subscribe = (url: string) => client.call('POST', `${SERVER}/subscription`, { ruleId, url });
    const { subscriptionId: one } = okBody(await subscribe('http://127.0.0.1:9/1'));
    const made = relay.hold();
    const cut = subscribe('http://127.0.0.1:9/2').catch(() => undefined);
    await made;
    await first.kill('SIGKILL');
    await cut;
    relay.release();
    expect(await held()).to.have.length(3);

    const second = await services.start();
    client = await apiClient(second.url);
    const { subscriptionId: two } = okBody(await subscribe('http://127.0.0.1:9/2'));
    let seen: string[] = [];
    const ours = [...strangers, one, two] as unknown as string[];
    await eventually(
      async () => {
        seen = await held();
        return seen.toSorted().join() === ours.toSorted().join() || undefined;
      },
      SOON_MS,
      () => `Orion has ${seen.join()}, not ${ours.join()}`,
    );

    const values = [11, 22, 33, 44];
    for (const [i, value] of values.entries()) {
      const entity = { id: 'web-1', type: 'host', cpuLoadPct: { type: 'Text', value: String(value) } };
      const { status } = await ask('POST', '/v2/entities?options=upsert', entity);
      expect(status).to.be.within(200, 299);
      await eventually(
        async () => ((await counted()).length > i ? true : undefined),
        SOON_MS,
        () => `${value} was not counted`,
      );
    }
    expect(await counted()).to.deep.equal(values);
  });
});
