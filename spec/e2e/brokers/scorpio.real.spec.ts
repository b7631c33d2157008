import { expect } from 'chai';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import { startScorpio } from '../../servers/scorpio.js';
import type { Scorpio } from '../../servers/scorpio.js';
import { addSubscribedRule } from '../policy/actions.js';
import { scenes } from '../scene.js';
import { untilCounted } from './counted.js';
import { ldEntity, scorpioIn } from './real-broker.js';
import { realBroker } from './real-broker.features.js';

const demo = embeddedTenantId('demo');
const NOBODY = 'http://127.0.0.1:9/';

/** The one context that a Scorpio without a way out knows. It has a name for the type of receipts. */
const CONTEXT =
  'https://raw.githubusercontent.com/smart-data-models/dataModel.DistributedLedgerTech/master/context.jsonld';

describe('a real Scorpio', function () {
  this.timeout(90_000);
  let scorpio: Scorpio | undefined;
  before(async function () {
    scorpio = await startScorpio();
    if (scorpio === undefined) this.skip();
  });
  after(() => scorpio?.stop());

  realBroker((place) => scorpioIn(scorpio!, place));

  describe('of which the service knows more', () => {
    const open = scenes();

    it('may have several instances of an attribute: the one without a datasetId counts', async () => {
      const tenant = 'datasets';
      const broker = scorpioIn(scorpio!, { tenant });
      await broker.makeTenant();
      const { api } = await open.service({ ...broker.settings, BROKER_TENANT: tenant });
      await addSubscribedRule(api, 'web-1', NOBODY);
      await broker.update('web-1', { usedMemPct: 1 });
      const other = { type: 'Property', value: 90, datasetId: 'urn:ngsi-ld:dataset:other' };
      const attributes = { cpuLoadPct: [other, { type: 'Property', value: 5 }], usedMemPct: other };
      const path = `/ngsi-ld/v1/entities/${ldEntity('web-1')}/attrs`;
      const { status } = await scorpio!.call('POST', path, attributes, { 'ngsild-tenant': tenant });
      expect(status).to.equal(204);
      const { values } = await untilCounted(api, 'web-1', demo, 2);
      expect(values).to.deep.include({ cpu: [5], mem: [1] });
    });

    it('reads the names of entities in BROKER_CONTEXT', async () => {
      const place = { tenant: 'contexts', type: 'DLTtxReceipt', context: CONTEXT };
      const broker = scorpioIn(scorpio!, place);
      await broker.makeTenant();
      const settings = { ...broker.settings, BROKER_TENANT: place.tenant, BROKER_ENTITY_TYPE: place.type };
      const without = await open.service(settings);
      const { api } = await open.service({ ...settings, BROKER_CONTEXT: CONTEXT });
      await addSubscribedRule(without.api, 'web-1', NOBODY);
      await addSubscribedRule(api, 'web-1', NOBODY);
      await broker.update('web-1', { cpuLoadPct: 1 });
      expect((await untilCounted(api, 'web-1', demo, 1)).values['cpu']).to.deep.equal([1]);
      expect((await untilCounted(without.api, 'web-1', demo, 0)).facts).to.equal(0);
    });
  });
});
