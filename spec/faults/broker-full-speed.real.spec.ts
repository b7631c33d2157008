import { callbackHost, realBroker } from '../servers/broker.js';
import { fullSpeed } from './broker-full-speed.features.js';

const ADDRESSES = { ngsiv2: 'ORION_TEST_URL', 'ngsi-ld': 'SCORPIO_TEST_URL' } as const;

for (const api of ['ngsiv2', 'ngsi-ld'] as const) {
  describe(`the broker of ${ADDRESSES[api]}`, () => {
    fullSpeed({ api, start: async () => realBroker(ADDRESSES[api])?.url, host: callbackHost() });
  });
}
