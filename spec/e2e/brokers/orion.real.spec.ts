import { startOrion } from '../../servers/orion.js';
import type { Orion } from '../../servers/orion.js';
import { orionIn } from './real-broker.js';
import { realBroker } from './real-broker.features.js';

describe('a real Orion', function () {
  this.timeout(60_000);
  let orion: Orion | undefined;
  before(async function () {
    orion = await startOrion();
    if (orion === undefined) this.skip();
  });
  after(() => orion?.stop());

  realBroker((place) => orionIn(orion!, place), '/city/north');
});
