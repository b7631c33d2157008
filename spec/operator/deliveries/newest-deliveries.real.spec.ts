import { openMongo } from '../../../src/store/mongo/mongo.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { homeOf } from '../../store/home.js';
import { newestDeliveriesFeatures } from './newest-deliveries.features.js';

describe('deliveries in MongoDB', () => {
  const server = mongoOfSuite();

  newestDeliveriesFeatures(async () => {
    const url = server.database();
    return homeOf(
      () => openMongo({ url }),
      () => dropDatabase(url),
    );
  });
});
