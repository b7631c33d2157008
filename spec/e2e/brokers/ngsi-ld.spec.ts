import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import { ngsiLdStandIn } from '../../broker/stand-ins/ngsi-ld.js';
import type { BrokerStandIn } from '../../broker/stand-ins/stand-in.js';
import { addRule, addSubscribedRule, okBody } from '../policy/actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { askedBroker } from './asked-broker.js';
import { ldEntity, scorpioIn } from './broker-view.js';
import { brokerFeatures } from './broker.features.js';
import { untilCounted } from './counted.js';
import { CONTEXT, ngsiLdFeatures } from './ngsi-ld.features.js';

const NOBODY = 'http://127.0.0.1:9/';
const MODEL = 'https://smartdatamodels.org/dataModel.DistributedLedgerTech/';
/** Some terms of the context. */
const TERMS = { DLTtxReceipt: `${MODEL}DLTtxReceipt`, TxReceipts: `${MODEL}TxReceipts` };

describe('a broker with the ways of Scorpio', () => {
  let broker: BrokerStandIn;
  before(async () => {
    broker = await ngsiLdStandIn(Date.now, { contexts: { [CONTEXT]: TERMS }, slowTenants: true });
  });
  after(() => broker.close());
  const asked = () => askedBroker(broker.url);

  brokerFeatures({ at: (place) => scorpioIn(asked(), place) });
  ngsiLdFeatures({ broker: asked });

  describe('in moments that a real one does not have on demand', () => {
    const open = scenes();
    const inTenant = async () => {
      const BROKER_TENANT = `spec_${randomUUID().slice(0, 8)}`;
      const view = scorpioIn(asked(), { tenant: BROKER_TENANT });
      const { api } = await open.service({ ...view.settings, BROKER_TENANT });
      return { api, view, tenant: BROKER_TENANT };
    };

    it('answers 500 while it makes a tenant: nothing was done, and the same request succeeds later', async () => {
      const { api, view } = await inTenant();
      const ruleId = await addRule(api, 'web-1');
      const body = { ruleId, url: NOBODY };
      const path = '/v1.0/demo/servers/web-1/subscription';
      expectRefusal(await api.call('POST', path, body), 503, 'answered 500', 'nothing was done');
      expect(await view.subscriptions()).to.deep.equal([]);
      const { subscriptionId } = okBody(await api.call('POST', path, body));
      expect(await view.subscriptions()).to.deep.equal([subscriptionId]);
    });

    it('shows a list with one element as the element: the value counts', async () => {
      const { api, view, tenant } = await inTenant();
      await view.makeTenant();
      await addSubscribedRule(api, 'web-1', NOBODY);
      await view.update('web-1', { usedMemPct: 1 });
      const path = `/ngsi-ld/v1/entities/${ldEntity('web-1')}/attrs`;
      const listed = { cpuLoadPct: { type: 'Property', value: [42] } };
      await asked().call('POST', path, listed, { 'ngsild-tenant': tenant });
      const { values } = await untilCounted(api, 'web-1', embeddedTenantId('demo'), 2);
      expect(values).to.deep.include({ cpu: [42], mem: [1] });
    });
  });
});
