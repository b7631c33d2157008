import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoImport } from '../../../src/store/mongo/import.js';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { scenes } from '../../e2e/scene.js';
import { rejectionOf } from '../../rejection.js';
import { creation } from '../../store/documents.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { importFeatures } from './import.features.js';

describe('mirzam import into MongoDB', () => {
  const server = mongoOfSuite();

  const collectionsOf = async (url: string): Promise<readonly string[]> => {
    const client = new MongoClient(url);
    const found = await client.db().listCollections().toArray();
    await client.close();
    return found.map(({ name }) => name);
  };

  importFeatures(async () => {
    const url = server.database();
    return {
      settings: { MONGODB_URL: url },
      names: () => collectionsOf(url),
      remove: () => dropDatabase(url),
    };
  });

  describe('with others at the same time', () => {
    const open = scenes();
    const numbers = { reserved: 5, keptTime: undefined };
    let url: string;
    beforeEach(() => {
      url = server.database();
    });
    afterEach(() => dropDatabase(url));

    it('leaves a service alone that starts meanwhile', async () => {
      const running = await openMongoImport(url);
      await running.commit([creation('k/t/1')]);
      const service = await open.service({ MONGODB_URL: url });
      expect((await rejectionOf(running.finish(numbers))).message).to.match(
        /has a store, the collection actors/,
      );
      await running.close();
      expect(await collectionsOf(url)).to.deep.equal(['actors']);
      const { text } = await service.api.call('GET', '/operator/actors');
      expect(text).not.to.include('k/t/1');
    });

    it('ends without a mixture if another import begins', async () => {
      const [one, other] = [await openMongoImport(url), await openMongoImport(url)];
      // The other one has removed the collection, and this makes it again.
      await one.commit([creation('k/t/1')]);
      await other.commit([creation('k/t/2')]);
      expect((await rejectionOf(one.finish(numbers))).message).to.match(/^Another import into the database/);
      await one.close();
      await other.finish(numbers);
      await other.close();
      expect(await collectionsOf(url)).to.deep.equal(['actors']);
      const store = await openMongo({ url });
      expect((await store.list({ kind: 'k', limit: 9 })).items.map(({ id }) => id)).to.deep.equal(['k/t/2']);
      await store.close();
    });
  });
});
