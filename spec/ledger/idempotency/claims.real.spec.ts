import { openMongo } from '../../../src/store/mongo/mongo.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { homeOf } from '../../store/home.js';
import { claimsFeatures } from './claims.features.js';

describe('claims of an Idempotency-Key in MongoDB', () => {
  const server = mongoOfSuite();

  claimsFeatures(async () => {
    const url = server.database();
    return homeOf(
      () => openMongo({ url }),
      async () => undefined,
    );
  });
});
