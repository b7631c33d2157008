import { expect } from 'chai';
import { StartError } from '../../../src/errors.js';
import { reservedPort } from '../../servers/ports.js';
import { BSON, MongoClient } from 'mongodb';
import { STORE_FORMAT } from '../../../src/store/format.js';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { rejectionOf } from '../../rejection.js';
import { dropDatabase } from '../../servers/drop-database.js';
import { type MongoServer, startMongo } from '../../servers/mongodb.js';

import { startRelay } from '../../servers/relay.js';
import { change, commitAll, commitOne, create, creation, loadExisting, removal } from '../documents.js';
import { type Home, homeOf } from '../home.js';
import { countFeatures } from '../count.features.js';
import { descendingFeatures } from '../descending.features.js';
import { listingFeatures } from '../listing.features.js';
import { modelFeatures } from '../model.features.js';
import { orderedFeatures } from '../ordered.features.js';
import { queuesFeatures } from '../queues.features.js';
import { readAllFeatures } from '../read-all.features.js';
import { killedRevisionFeatures, revisionFeatures } from '../revisions.features.js';
import { storeFeatures } from '../store.features.js';
import { textFeatures } from '../texts.features.js';

describe('the store in MongoDB', () => {
  let server: MongoServer;

  before(async function () {
    const found = await startMongo();
    if (found === undefined) this.skip();
    server = found;
  });
  after(() => server?.stop());

  async function makeHome(): Promise<Home> {
    const url = server.database();
    return homeOf(
      () => openMongo({ url }),
      () => dropDatabase(url),
    );
  }

  storeFeatures(makeHome);
  textFeatures(makeHome);
  listingFeatures(makeHome);
  countFeatures(makeHome);
  descendingFeatures(makeHome);
  orderedFeatures(makeHome);
  queuesFeatures(makeHome);
  readAllFeatures(makeHome);
  modelFeatures(makeHome, { runs: 15 });
  revisionFeatures(makeHome);

  describe('to processes that are killed', () => {
    let url: string;
    beforeEach(() => {
      url = server.database();
    });
    afterEach(() => dropDatabase(url));

    killedRevisionFeatures(() => ({ url }), 3);
  });

  describe('with a format', () => {
    let url: string;
    beforeEach(() => {
      url = server.database();
    });
    afterEach(() => dropDatabase(url));

    /** Reads the format, after setting it; null removes it. */
    const formatIn = async (set?: number | null): Promise<unknown> => {
      const client = new MongoClient(url);
      const formats = client.db().collection<{ _id: string; format: number }>('actors');
      const one = { _id: '/numbers/format' };
      if (set === null) await formats.deleteOne(one);
      else if (set !== undefined) await formats.updateOne(one, { $set: { format: set } });
      const found = await formats.findOne(one);
      await client.close();
      return found?.format;
    };

    it('has it from the first start on, and stops the start of another version with a sentence', async () => {
      await (await openMongo({ url })).close();
      expect(await formatIn()).to.equal(STORE_FORMAT.mongo);
      await formatIn(STORE_FORMAT.mongo + 1);
      const error = await rejectionOf(openMongo({ url }));
      expect(error).to.be.instanceOf(StartError);
      expect(error.message)
        .to.match(/^The database spec-\w+ is of format .*: start the version that wrote it, .*MONGODB_URL$/)
        .and.to.include(
          `format ${STORE_FORMAT.mongo + 1}, and this version of Mirzam uses format ${STORE_FORMAT.mongo}:`,
        );
    });

    it('has one for nodes that start together on an empty database', async () => {
      for (let round = 0; round < 5; round += 1) {
        const stores = await Promise.all(Array.from({ length: 16 }, () => openMongo({ url })));
        expect(await formatIn()).to.equal(STORE_FORMAT.mongo);
        await Promise.all(stores.map((store) => store.close()));
        await dropDatabase(url);
      }
    });

    it('is of format 1 if it was made before there were formats', async () => {
      const store = await openMongo({ url });
      await create(store, 'k/t/a');
      await store.close();
      expect(await formatIn(null)).to.equal(undefined);
      expect((await rejectionOf(openMongo({ url }))).message).to.include('is of format 1');
      expect(await formatIn()).to.equal(undefined);
    });
  });

  describe('to several nodes', () => {
    let home: Home;
    beforeEach(async () => {
      home = await makeHome();
    });
    afterEach(() => home.remove());

    it('is shared', async () => {
      const [one, two] = [await home.open(), await home.open()];
      expect([one.shared, two.shared]).to.deep.equal([true, true]);
      const stored = await create(one, 'k/t/a');
      expect(await two.load('k/t/a')).to.deep.equal(stored);
    });

    it('lets one of two win that create the same document at once', async () => {
      const stores = [await home.open(), await home.open()];
      for (let round = 0; round < 20; round += 1) {
        const outcomes = await Promise.all(
          stores.map((store, i) => commitOne(store, creation(`k/t/${round}`, { frequent: String(i) }))),
        );
        expect(outcomes.toSorted()).to.deep.equal(['lost', 'won']);
        const stored = await loadExisting(stores[0]!, `k/t/${round}`);
        expect(stored.frequent).to.equal(String(outcomes.indexOf('won')));
      }
    });

    it('fails alone a change that makes its document too large', async () => {
      const store = await home.open();
      // Each text by itself is short enough.
      const large = await create(store, 'k/t/large', { rare: 'c'.repeat(9_000_000) });
      const small = await create(store, 'k/t/small');
      const outcomes = await commitAll(store, [
        change('k/t/large', large, { frequent: 'h'.repeat(9_000_000) }),
        change('k/t/small', small, { frequent: 'H' }),
        creation('k/t/new'),
      ]);
      expect(outcomes.map((outcome) => (outcome instanceof Error ? outcome.name : outcome))).to.deep.equal([
        'Unstorable',
        'won',
        'won',
      ]);
      expect((await store.load('k/t/large'))!.revision).to.equal(large.revision);
      expect(await loadExisting(store, 'k/t/small')).to.include({ frequent: 'H' });
    });

    it('recognises a commit that comes twice', async () => {
      const store = await home.open();
      const first = creation('k/t/a');
      expect(await commitOne(store, first)).to.equal('won');
      expect(await commitOne(store, first)).to.equal('won');
      const second = change('k/t/a', await loadExisting(store, 'k/t/a'), { frequent: 'H' });
      expect(await commitAll(store, [creation('k/t/b'), second])).to.deep.equal(['won', 'won']);
      expect(await commitAll(store, [creation('k/t/b'), second])).to.deep.equal(['lost', 'won']);
      expect(await store.load('k/t/a')).to.include({ revision: 2, frequent: 'H' });
    });

    it('writes with majority and journal, and reads with majority', async function () {
      if (server.kill === undefined) {
        console.log('Skipping: only the traffic of a server on this machine can be watched');
        this.skip();
      }
      const url = server.database();
      const relay = await startRelay(portOf(url));
      const store = await openMongo({ url: url.replace(/:\d+\//, `:${relay.port}/`) });
      const stored = await create(store, 'k/t/a');
      await store.commit([change('k/t/a', stored), removal('k/t/b', stored)]);
      await store.list({ kind: 'k', limit: 1 });
      await store.close();
      await relay.close();
      await dropDatabase(url);
      for (const [command, concern] of [
        ['insert', { writeConcern: { w: 'majority', j: true } }],
        ['update', { writeConcern: { w: 'majority', j: true } }],
        ['delete', { writeConcern: { w: 'majority', j: true } }],
        ['find', { readConcern: { level: 'majority' } }],
      ] as const) {
        const commands = relay.sent.filter((piece) => piece.includes(`\u0002${command}\0`));
        expect(commands.length, command).to.be.above(0);
        expect(commands.every((piece) => piece.includes(fieldOf(concern)), command)).to.equal(true);
      }
    });

    it('has indexes for listings by state and for due documents', async () => {
      const url = server.database();
      const store = await openMongo({ url });
      const client = await MongoClient.connect(url);
      const indexes = await client.db().collection('actors').indexes();
      await client.close();
      await store.close();
      await dropDatabase(url);
      expect(indexes.map(({ key }) => key)).to.deep.include.members([
        { kind: 1, state: 1, _id: 1 },
        { wakeAt: 1 },
        { queue: 1, turnAt: 1, _id: 1 },
      ]);
    });
  });
});

function portOf(url: string): number {
  return Number(/:(\d+)\//.exec(url)?.[1]);
}

/** Returns a field as it is in a message: BSON without the length before it and the end of the document. */
function fieldOf(document: object): Buffer {
  return Buffer.from(BSON.serialize(document)).subarray(4, -1);
}

describe('a store in MongoDB that cannot be opened', () => {
  const password = 'Hunter2';

  for (const [what, url] of [
    ['an unknown option', `mongodb://user:${password}@127.0.0.1/?nonsense=1`],
    ['a password that is not encoded', `mongodb://user:${password}/x@127.0.0.1:1/db`],
    ['no host', `mongodb://user:${password}@/db`],
    ['another scheme', `http://user:${password}@127.0.0.1/db`],
  ] as const) {
    it(`says so without the password: ${what}`, async () => {
      const error = await refusal(url);
      expect(`${error.message} ${String(error.cause)} ${error.stack}`).not.to.include(password);
      expect(error.message).to.match(/^The MongoDB connection string cannot be used: \S/);
    });
  }

  it('is unavailable within its time if no server listens', async () => {
    const begun = Date.now();
    const error = await refusal(`mongodb://user:${password}@127.0.0.1:${await reservedPort()}/db`);
    expect(error.name).to.equal('StoreUnavailable');
    expect(`${error.message} ${error.stack}`).not.to.include(password);
    expect(Date.now() - begun).to.be.below(3_000);
  });

  async function refusal(url: string): Promise<Error> {
    return openMongo({ url, timeoutMs: 500 }).then(
      () => new Error('it was opened'),
      (error: unknown) => error as Error,
    );
  }
});
