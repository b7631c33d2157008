import { openCallback, realBroker } from '../../servers/broker.js';
import type { AskedBroker } from './asked-broker.js';
import { orionIn } from './broker-view.js';
import { brokerFeatures } from './broker.features.js';
import { orionFeatures } from './orion.features.js';

describe('the Orion of ORION_TEST_URL', () => {
  let orion: AskedBroker | undefined;
  before(function () {
    orion = realBroker('ORION_TEST_URL');
    if (orion === undefined) this.skip();
  });

  brokerFeatures({ at: (place) => orionIn(orion!, place), path: '/city/north', openCallback });
  orionFeatures({ broker: () => orion!, openCallback });
});
