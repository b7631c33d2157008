import { mongoOfSuite } from '../../servers/mongodb.js';
import { giantDocumentsFeatures } from './giant-documents.features.js';

describe('a document that grows too large in MongoDB', () => {
  const server = mongoOfSuite();

  giantDocumentsFeatures(() => ({ MONGODB_URL: server.database() }));
});
