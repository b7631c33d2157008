import { openMongo } from '../../../src/store/mongo/mongo.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { homeOf } from '../../store/home.js';
import { claimsFeatures } from './claims.features.js';

describe('claims of an Idempotency-Key in MongoDB', function () {
  this.timeout(60_000);
  let server: MongoServer | undefined;

  before(async function () {
    server = await startMongo();
    if (server === undefined) this.skip();
  });
  after(() => server?.stop());

  claimsFeatures(async () => {
    const url = server!.database();
    return homeOf(
      () => openMongo({ url }),
      async () => undefined,
    );
  });
});
