import { openCallback, realBroker } from '../../servers/broker.js';
import type { AskedBroker } from './asked-broker.js';
import { scorpioIn } from './broker-view.js';
import { brokerFeatures } from './broker.features.js';
import { ngsiLdFeatures } from './ngsi-ld.features.js';

describe('the Scorpio of SCORPIO_TEST_URL', () => {
  let scorpio: AskedBroker | undefined;
  before(function () {
    scorpio = realBroker('SCORPIO_TEST_URL');
    if (scorpio === undefined) this.skip();
  });

  brokerFeatures({ at: (place) => scorpioIn(scorpio!, place), openCallback });
  ngsiLdFeatures({ broker: () => scorpio!, openCallback });
});
