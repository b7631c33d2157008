import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import type { AskedCase } from './asked-broker.js';
import { addSubscribedRule } from '../policy/actions.js';
import { scenes } from '../scene.js';
import { untilCounted } from './counted.js';
import { ldEntity, scorpioIn } from './broker-view.js';

const demo = embeddedTenantId('demo');
const NOBODY = 'http://127.0.0.1:9/';

/** A context with a name for the type of receipts. Brokers load it, or have it. */
export const CONTEXT =
  'https://raw.githubusercontent.com/smart-data-models/dataModel.DistributedLedgerTech/master/context.jsonld';

/** What the service promises with an NGSI-LD broker alone. */
export function ngsiLdFeatures({ broker: asked, openCallback }: AskedCase): void {
  describe('with the ways of NGSI-LD', () => {
    const open = scenes();
    const ownTenant = () => `spec_${randomUUID().slice(0, 8)}`;
    const service = async (settings: Readonly<Record<string, string>>) => {
      const callback = openCallback && open.keep(await openCallback(), (way) => way.close());
      return open.service({ ...callback?.settings, ...settings });
    };

    it('may have several instances of an attribute: the one without a datasetId counts', async () => {
      const tenant = ownTenant();
      const broker = scorpioIn(asked(), { tenant });
      await broker.makeTenant();
      const { api } = await service({ ...broker.settings, BROKER_TENANT: tenant });
      await addSubscribedRule(api, 'web-1', NOBODY);
      await broker.update('web-1', { usedMemPct: 1 });
      const other = { type: 'Property', value: 90, datasetId: 'urn:ngsi-ld:dataset:other' };
      const attributes = { cpuLoadPct: [other, { type: 'Property', value: 5 }], usedMemPct: other };
      const path = `/ngsi-ld/v1/entities/${ldEntity('web-1')}/attrs`;
      const { status } = await asked().call('POST', path, attributes, { 'ngsild-tenant': tenant });
      expect(status).to.equal(204);
      const { values } = await untilCounted(api, 'web-1', demo, 2);
      expect(values).to.deep.include({ cpu: [5], mem: [1] });
    });

    it('reads the names of entities in BROKER_CONTEXT', async () => {
      const place = { tenant: ownTenant(), type: 'DLTtxReceipt', context: CONTEXT };
      const broker = scorpioIn(asked(), place);
      await broker.makeTenant();
      const settings = { ...broker.settings, BROKER_TENANT: place.tenant, BROKER_ENTITY_TYPE: place.type };
      const without = await service(settings);
      const { api } = await service({ ...settings, BROKER_CONTEXT: CONTEXT });
      await addSubscribedRule(without.api, 'web-1', NOBODY);
      await addSubscribedRule(api, 'web-1', NOBODY);
      await broker.update('web-1', { cpuLoadPct: 1 });
      expect((await untilCounted(api, 'web-1', demo, 1)).values['cpu']).to.deep.equal([1]);
      expect((await untilCounted(without.api, 'web-1', demo, 0)).facts).to.equal(0);
    });
  });
}
