import { chainFeatures } from './chain.features.js';
import { contractFeatures } from './contract.features.js';
import { reorganisationFeatures } from './reorganisation.features.js';

describe('a chain over HTTP', () => {
  chainFeatures(({ url }) => url);
  reorganisationFeatures(({ url }) => url);
  contractFeatures(({ url }) => url);
});
