import { giantDocumentsFeatures } from './giant-documents.features.js';

describe('a document that grows too large in the embedded store', function () {
  this.timeout(120_000);
  giantDocumentsFeatures(() => ({}));
});
