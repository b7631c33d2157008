import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';
import { movedServiceFeatures } from './moved-service.features.js';

describe('a service that is exported and imported with MongoDB', function () {
  let mongo: MongoServer;
  let folder: string;
  before(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    mongo = found;
    folder = await mkdtemp(join(tmpdir(), 'moved-'));
  });
  after(async () => {
    await mongo?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const inMongo = () => ({ MONGODB_URL: mongo.database() });
  const inFolder = async () => ({ DATA_DIR: await mkdtemp(join(folder, 'data-')) });

  describe('from a data folder, and back into one', () => {
    movedServiceFeatures(async () => [await inFolder(), inMongo(), await inFolder()]);
  });
  describe('into another database', () => {
    movedServiceFeatures(async () => [inMongo(), inMongo()]);
  });
});
