import { expect } from 'chai';
import { reservedPort } from '../servers/ports.js';
import { ngsi10StandIn } from '../broker/stand-ins/ngsi10.js';
import { ngsiLdStandIn } from '../broker/stand-ins/ngsi-ld.js';
import { ngsiv2StandIn } from '../broker/stand-ins/ngsiv2.js';
import type { BrokerStandIn } from '../broker/stand-ins/stand-in.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { okBody, windowSize } from '../e2e/policy/actions.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { ALWAYS } from './stage/clients.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { launcher, type Launcher } from './stage/service-process.js';

const BROKERS = { ngsi10: ngsi10StandIn, ngsiv2: ngsiv2StandIn, 'ngsi-ld': ngsiLdStandIn } as const;
const SERVER = '/v1.0/demo/servers/web-1';
/**
 * Time limit for ending an orphaned subscription after a start, ms. With other nodes the service first waits until none
 * uses it.
 */
const ENDED_MS = { embedded: 5_000, shared: 40_000 };

for (const [api, start] of Object.entries(BROKERS)) {
  for (const kind of ['embedded', 'shared'] as const) {
    describe(`a service killed after a broker of ${api} created a subscription, ${kind} store`, () => {
      let services: Launcher;
      let broker: BrokerStandIn;
      let client: ApiClient;
      let settings: Record<string, string>;

      const mongo = kind === 'embedded' ? undefined : mongoOfSuite();

      beforeEach(async () => {
        broker = await start();
        // The same port for both services: the callbacks must reach the second one.
        settings = { PORT: String(await reservedPort()), BROKER_URL: broker.url, BROKER_API: api };
        if (mongo !== undefined) settings['MONGODB_URL'] = mongo.database();
        services = await launcher(settings);
      });
      afterEach(async () => {
        await services.close();
        await broker.close();
      });

      const subscribe = (ruleId: string, url: string) =>
        client.call('POST', `${SERVER}/subscription`, { ruleId, url });

      /** Sends one measurement for each subscription of the broker. Returns how often it was counted. */
      const counted = async (): Promise<number> => {
        const lastFact = async (): Promise<number> => {
          const { actors } = okBody(await client.call('GET', '/operator/actors?kind=server')) as unknown as {
            actors: { tenant: string; name: string }[];
          };
          const { tenant, name } = actors[0]!;
          const { context } = okBody(await client.call('GET', `/operator/actors/server/${tenant}/${name}`));
          return (context as unknown as { factId: number }).factId;
        };
        const before = await lastFact();
        for (const { id } of broker.subscriptions()) {
          expect((await broker.notify(id, { cpuLoadPct: '99' })).status).to.equal(200);
        }
        return (await lastFact()) - before;
      };

      it('ends that subscription after the next start: a measurement counts once', async () => {
        const first = await services.start();
        client = await apiClient(first.url);
        await windowSize(client, 1);
        const { ruleId } = okBody(await client.call('POST', `${SERVER}/rules`, ALWAYS));
        const { subscriptionId: one } = okBody(await subscribe(ruleId!, 'http://127.0.0.1:9/1'));

        const lasting = () =>
          broker.subscriptions().filter(({ expiresAt }) => expiresAt > Date.now() + 3 * 60_000);
        // NGSI-10 has its first renewal a moment later.
        await eventually(
          () => lasting().length === 1 || undefined,
          SOON_MS,
          () => 'the first subscription does not last',
        );

        // The broker has created the subscription, and never answers.
        const asked = broker.requests.length;
        broker.failWith({ how: 'silent', done: true }, 1);
        const cut = subscribe(ruleId!, 'http://127.0.0.1:9/2').catch(() => undefined);
        await eventually(
          () =>
            broker.requests.slice(asked).some(({ method, body }) => method === 'POST' && body !== '') ||
            undefined,
          SOON_MS,
          () => 'the broker was not asked',
        );
        await first.kill('SIGKILL');
        await cut;
        const made = broker.subscriptions().map(({ id }) => id);
        expect(made).to.have.length(2);

        const second = await services.start();
        client = await apiClient(second.url);
        const { subscriptionId: two } = okBody(await subscribe(ruleId!, 'http://127.0.0.1:9/2'));
        const ours = [one, two] as unknown as string[];
        // NGSI-10 cannot find an orphan: it expires two minutes after its creation.
        const leftover = api === 'ngsi10' ? lasting : () => broker.subscriptions();
        await eventually(
          () =>
            (leftover().length === 2 && leftover().every(({ id }) => ours.some((our) => id.endsWith(our)))) ||
            undefined,
          ENDED_MS[kind],
          () => `the broker has ${JSON.stringify(broker.subscriptions())}, ours are ${ours.join()}`,
        );
        if (api === 'ngsi10') return;
        expect(await counted()).to.equal(1);
      });
    });
  }
}
