import { expect } from 'chai';
import { exportedLines } from '../../src/operator/export.js';
import { openMongo } from '../../src/store/mongo/mongo.js';
import { dropDatabase } from '../servers/drop-database.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { change, commitOne, create, creation, loadExisting } from '../store/documents.js';

describe('an export of nodes on MongoDB that work meanwhile', function () {
  this.timeout(30_000);
  const mongo = mongoOfSuite();

  it('has a message that a server hands over while it is read', async () => {
    const url = mongo.database();
    const store = await openMongo({ url });
    const server = 'server/t/web-1';
    await create(store, server, { frequent: '["message"]' });
    await store.commit(Array.from({ length: 300 }, (_, i) => creation(`delivery/t/${1_000 + i}`)));
    const options = { store, version: '1', fingerprints: async () => ({}), now: Date.now };
    let text = '';
    let pieces = 0;
    for await (const piece of exportedLines(options)) {
      text += piece;
      pieces += 1;
      // The second piece is the first page.
      if (pieces !== 2) continue;
      await create(store, 'delivery/t/0', { frequent: '"message"' });
      await commitOne(store, change(server, await loadExisting(store, server), { frequent: '[]' }));
    }
    await store.close();
    await dropDatabase(url);
    expect(text).to.include('message');
  });
});
