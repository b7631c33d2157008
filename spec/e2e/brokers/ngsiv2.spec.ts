import { ngsiv2StandIn } from '../../broker/stand-ins/ngsiv2.js';
import type { BrokerStandIn } from '../../broker/stand-ins/stand-in.js';
import { askedBroker } from './asked-broker.js';
import { orionIn } from './broker-view.js';
import { brokerFeatures } from './broker.features.js';
import { orionFeatures } from './orion.features.js';

describe('a broker with the ways of Orion', () => {
  let broker: BrokerStandIn;
  before(async () => {
    broker = await ngsiv2StandIn();
  });
  after(() => broker.close());
  const asked = () => askedBroker(broker.url);

  brokerFeatures({ at: (place) => orionIn(asked(), place), path: '/city/north' });
  orionFeatures({ broker: asked });
});
