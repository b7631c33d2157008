import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { ngsiv2StandIn } from '../broker/stand-ins/ngsiv2.js';
import type { BrokerStandIn } from '../broker/stand-ins/stand-in.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { addRule, factsBody, okBody, subscribe, windowSize } from '../e2e/policy/actions.js';
import { nothingStoredWith, storedWith } from '../e2e/policy/lifecycle/stored.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { seeded } from './stage/random.js';
import { launcher, type Launcher } from './stage/service-process.js';

const KILLS = 6;
/** What is left of a server is looked for this long, s, and longer with several nodes. */
const ENDS_MS = { embedded: 40_000, shared: 100_000 };
const RULE = {
  name: 'busy',
  condition: { cpu: { value: 50, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

for (const kind of ['embedded', 'shared'] as const) {
  describe(`kill -9 while a server is deleted, ${kind} store`, () => {
    let services: Launcher | undefined;
    let broker: BrokerStandIn | undefined;

    const mongo = kind === 'embedded' ? undefined : mongoOfSuite();
    afterEach(async () => {
      await services?.close();
      await broker?.close();
      services = broker = undefined;
    });

    it('deletes it whole, at the broker too, or leaves it as it was', async () => {
      const random = seeded(20_266);
      broker = await ngsiv2StandIn();
      services = await launcher({
        BROKER_URL: broker.url,
        BROKER_API: 'ngsiv2',
        ...(mongo === undefined ? {} : { MONGODB_URL: mongo.database() }),
      });
      let service = await services.start();
      let api = await apiClient(service.url);
      await windowSize(api, 1);
      const deleted: string[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const server = `web-${kill}-end`;
        await fill(api, server);
        const asked = api.call('DELETE', `/v1.0/demo/servers/${server}`).catch(() => undefined);
        // Before the commit, in the middle of what follows it, or after it.
        await pause(random() * 30);
        await service.kill('SIGKILL');
        const answer = await asked;
        if (answer !== undefined) expect(answer.status).to.equal(200);
        service = await services.start();
        api = await apiClient(service.url);
        if ((await api.call('GET', `/v1.0/demo/servers/${server}`)).status === 200) {
          expect(answer, 'an answered deletion').to.equal(undefined);
          await expectWhole(api, server);
          okBody(await api.call('DELETE', `/v1.0/demo/servers/${server}`));
        }
        deleted.push(server);
      }
      for (const server of deleted) await nothingStoredWith(api, server, ENDS_MS[kind]);
      expect(broker.subscriptions()).to.deep.equal([]);
    });
  });
}

/** Gives a server a rule, subscriptions, transitions and messages that wait. */
async function fill(api: ApiClient, server: string): Promise<void> {
  const ruleId = await addRule(api, server, RULE);
  for (const url of ['1', '2', '3'])
    await subscribe(api, server, ruleId, `http://127.0.0.1:9/${server}/${url}`);
  for (const value of [90, 10, 90, 10, 90]) await send(api, server, value);
  expect(await storedWith(api, `delivery/`)).to.not.deep.equal([]);
}

async function send(api: ApiClient, server: string, value: number): Promise<number> {
  const answer = await api.call('POST', `/demo/servers/${server}`, factsBody({ cpuLoadPct: value }));
  return okBody(answer)['id']!;
}

/** The server has its rule, its history and its subscriptions. */
async function expectWhole(api: ApiClient, server: string): Promise<void> {
  const path = `/v1.0/demo/servers/${server}`;
  const { history } = okBody(await api.call('GET', `${path}/history?limit=200`));
  expect(history).to.have.length(15);
  const { rules } = okBody(await api.call('GET', path)) as unknown as { rules: readonly unknown[] };
  expect(rules).to.have.length(1);
  expect(await send(api, server, 90)).to.equal(6);
}
