import { ngsiLdStandIn } from '../broker/stand-ins/ngsi-ld.js';
import { ngsiv2StandIn } from '../broker/stand-ins/ngsiv2.js';
import type { BrokerStandIn } from '../broker/stand-ins/stand-in.js';
import { fullSpeed } from './broker-full-speed.features.js';

const STAND_INS = { ngsiv2: ngsiv2StandIn, 'ngsi-ld': ngsiLdStandIn } as const;

for (const api of ['ngsiv2', 'ngsi-ld'] as const) {
  describe(`a broker of ${api}`, () => {
    let broker: BrokerStandIn;
    fullSpeed({
      api,
      start: async () => {
        broker = await STAND_INS[api]();
        return broker.url;
      },
      stop: () => broker.close(),
    });
  });
}
