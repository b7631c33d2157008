import { chainFeatures } from './chain.features.js';
import { contractFeatures } from './contract.features.js';
import { reorganisationFeatures } from './reorganisation.features.js';

describe('a chain over WebSocket', () => {
  chainFeatures(({ wsUrl }) => wsUrl);
  reorganisationFeatures(({ wsUrl }) => wsUrl);
  contractFeatures(({ wsUrl }) => wsUrl);
});
