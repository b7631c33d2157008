import { openMongo } from '../../../src/store/mongo/mongo.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { homeOf } from '../../store/home.js';
import { newestDeliveriesFeatures } from './newest-deliveries.features.js';

describe('deliveries in MongoDB', function () {
  this.timeout(60_000);
  let server: MongoServer;
  before(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    server = found;
  });
  after(() => server?.stop());

  newestDeliveriesFeatures(async () => {
    const url = server.database();
    return homeOf(
      () => openMongo({ url }),
      () => dropDatabase(url),
    );
  });
});
