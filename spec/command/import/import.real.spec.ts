import { MongoClient } from 'mongodb';
import { dropDatabase } from '../../servers/drop-database.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { importFeatures } from './import.features.js';

describe('mirzam import into MongoDB', function () {
  this.timeout(60_000);
  let server: MongoServer;
  before(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    server = found;
  });
  after(() => server?.stop());

  importFeatures(async () => {
    const url = server.database();
    return {
      settings: { MONGODB_URL: url },
      async names() {
        const client = new MongoClient(url);
        const found = await client.db().listCollections().toArray();
        await client.close();
        return found.map(({ name }) => name);
      },
      remove: () => dropDatabase(url),
    };
  });
});
