import { giantDocumentsFeatures } from './giant-documents.features.js';

describe('a document that grows too large in the embedded store', () => {
  giantDocumentsFeatures(() => ({}));
});
