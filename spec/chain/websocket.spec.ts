import { chainFeatures } from './chain.features.js';
import { reorganisationFeatures } from './reorganisation.features.js';

describe('a chain over WebSocket', () => {
  chainFeatures(({ wsUrl }) => wsUrl);
  reorganisationFeatures(({ wsUrl }) => wsUrl);
});
