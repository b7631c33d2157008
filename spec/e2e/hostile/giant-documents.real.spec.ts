import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { giantDocumentsFeatures } from './giant-documents.features.js';

describe('a document that grows too large in MongoDB', function () {
  this.timeout(120_000);
  let server: MongoServer | undefined;

  before(async function () {
    server = await startMongo();
    if (server === undefined) this.skip();
  });
  after(() => server?.stop());

  giantDocumentsFeatures(() => ({ MONGODB_URL: server!.database() }));
});
