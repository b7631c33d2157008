import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { ACTORS, openMongo } from '../../../src/store/mongo/mongo.js';
import type { Store } from '../../../src/store/port.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { commitAll, creation } from '../documents.js';

const LONG = 500;
const WANTED = 20;
/** Documents that one scan or walk may match. A few windows of time hold that many more than are wanted. */
const MATCHED = 100;

describe('a long queue in MongoDB', () => {
  const server = mongoOfSuite();
  let url: string;
  let store: Store;
  let client: MongoClient;
  let filters: Document[] = [];

  beforeEach(async () => {
    url = server.database();
    client = new MongoClient(url);
    const onCommand = ({ command }: CommandStartedEvent): void => {
      const { find, filter } = command as { readonly find?: string; readonly filter?: Document };
      if (find === ACTORS && filter?.['queue'] !== undefined) filters.push(filter);
    };
    store = await openMongo({ url, onCommand });
    const documents = Array.from({ length: LONG }, (_, n) =>
      creation(`k/t/${n}`, { queue: 'long', wakeAt: 1_000 + n * 100 }),
    );
    documents.push(creation('k/t/first', { queue: 'a', wakeAt: 1 }));
    expect(new Set(await commitAll(store, documents))).to.deep.equal(new Set(['won']));
    await store.queued('long', 0, WANTED);
  });
  afterEach(async () => {
    await store.close();
    await client.close();
    await dropDatabase(url);
  });

  /** Resolves with the number of documents that match the filters of a read: some servers sort all of them. */
  async function matched(read: () => Promise<readonly unknown[]>, found: number): Promise<number> {
    filters = [];
    expect(await read()).to.have.lengthOf(found);
    const actors = client.db().collection(ACTORS);
    const counts = await Promise.all(filters.map((filter) => actors.countDocuments(filter)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  it('is scanned without its later documents', async () => {
    expect(await matched(() => store.queued('long', 0, WANTED), WANTED)).to.be.within(WANTED, MATCHED);
  });

  it('is in a walk of the queues without its later documents', async () => {
    expect(await matched(() => store.queues(undefined, 10), 2)).to.be.within(2, MATCHED);
  });
});
