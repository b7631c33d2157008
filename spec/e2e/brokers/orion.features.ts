import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import { addRule, addSubscribedRule, windowSize } from '../policy/actions.js';
import { reservedPort } from '../../servers/ports.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import type { AskedCase } from './asked-broker.js';
import { orionIn } from './broker-view.js';
import { untilCounted } from './counted.js';

const demo = embeddedTenantId('demo');
const NOBODY = 'http://127.0.0.1:9/';

/** What the service promises with Orion alone. */
export function orionFeatures({ broker: asked, openCallback }: AskedCase): void {
  describe('with the ways of Orion', () => {
    const open = scenes();
    const ownTenant = () => `spec_${randomUUID().slice(0, 8)}`;
    const callback = async () => openCallback && open.keep(await openCallback(), (way) => way.close());

    it('sends nothing of before the subscription', async () => {
      const tenant = ownTenant();
      const broker = orionIn(asked(), { tenant });
      await broker.update('web-1', { cpuLoadPct: 11 });
      const settings = { ...broker.settings, ...(await callback())?.settings, BROKER_TENANT: tenant };
      const { api } = await open.service(settings);
      await addSubscribedRule(api, 'web-1', NOBODY);
      await broker.update('web-1', { cpuLoadPct: 22 });
      expect((await untilCounted(api, 'web-1', demo, 1)).values['cpu']).to.deep.equal([22]);
    });

    it('sends once: what the service did not take is lost, and the next measurement counts', async () => {
      const tenant = ownTenant();
      const broker = orionIn(asked(), { tenant });
      const way = (await callback())?.settings ?? {};
      const DATA_DIR = await open.folder();
      const PORT = String(await reservedPort());
      const settings = { PORT, ...broker.settings, ...way, BROKER_TENANT: tenant, DATA_DIR };
      const first = await open.service(settings);
      await windowSize(first.api, 5);
      await addSubscribedRule(first.api, 'web-1', NOBODY);
      await broker.update('web-1', { cpuLoadPct: 1 });
      await untilCounted(first.api, 'web-1', demo, 1);
      await first.close();
      await broker.update('web-1', { cpuLoadPct: 2 });
      const second = await open.service(settings);
      await broker.update('web-1', { cpuLoadPct: 3 });
      const { facts, values } = await untilCounted(second.api, 'web-1', demo, 2);
      expect(facts).to.equal(2);
      expect(values['cpu']).to.deep.equal([1, 3]);
    });

    it('feeds the one subscription for all servers from every service path', async () => {
      const tenant = ownTenant();
      const way = (await callback())?.settings ?? {};
      const { api, url } = await open.service(way);
      // The first request with a token makes the tenant known.
      await windowSize(api, 5);
      const publicUrl = way['PUBLIC_URL'] ?? url;
      await orionIn(asked(), { tenant }).subscribeForAll(`${publicUrl}/v1.0/demo/notify`);
      for (const [i, path] of ['/', '/city', '/city/north'].entries()) {
        await orionIn(asked(), { tenant, path }).update('web-1', { cpuLoadPct: i });
        await untilCounted(api, 'web-1', demo, i + 1);
      }
    });

    it('has no NGSI-10: the refusal says which settings to check', async () => {
      const { api } = await open.service({ BROKER_URL: asked().url, BROKER_API: 'ngsi10' });
      const ruleId = await addRule(api, 'web-1');
      const answer = await api.call('POST', '/v1.0/demo/servers/web-1/subscription', {
        ruleId,
        url: NOBODY,
      });
      expectRefusal(answer, 503, 'Service not found', 'BROKER_API');
    });
  });
}
