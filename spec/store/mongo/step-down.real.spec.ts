import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongo } from '../../../src/store/mongo/mongo.js';
import { type Commit, type Store, StoreUnavailable } from '../../../src/store/port.js';
import { mongoOfSuite } from '../../servers/mongodb.js';
import { change, commitAll, commitOne, create, creation, loadExisting, removal } from '../documents.js';

/** Error codes of a server that is not a primary. */
const STEP_DOWN_CODES = {
  NotWritablePrimary: 10107,
  PrimarySteppedDown: 189,
  InterruptedDueToReplStateChange: 11602,
};

/** The commands of commits. */
const WRITES = ['insert', 'update', 'delete'];

describe('the store in MongoDB while a primary steps down', () => {
  let operator: MongoClient;
  let url: string;
  let store: Store;

  const server = mongoOfSuite({ failPoints: true });

  beforeEach(async () => {
    // A fail point changes no topology: the driver, which waits for news of that, would ask again only after ten seconds.
    url = `${server.database()}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
    operator = await MongoClient.connect(url, { appName: 'operator' });
    store = await openMongo({ url, timeoutMs: 20_000 });
  });
  afterEach(async () => {
    await fail('off');
    await store.close();
    await operator.close();
  });

  /** Lets the next commands of the store's connections fail. */
  async function fail(mode: 'off' | { readonly times: number }, data: object = {}): Promise<void> {
    await operator
      .db('admin')
      .command({ configureFailPoint: 'failCommand', mode, data: { appName: 'mirzam', ...data } });
  }

  async function batch(): Promise<{ readonly commits: Commit[]; readonly expected: string[] }> {
    const [a, b, c] = [
      await create(store, 'k/t/a'),
      await create(store, 'k/t/b'),
      await create(store, 'k/t/c'),
    ];
    return {
      commits: [
        change('k/t/a', a, { frequent: 'H' }),
        change('k/t/b', { ...b, revision: 7 }),
        removal('k/t/c', c),
        creation('k/t/d'),
        creation('k/t/b'),
      ],
      expected: ['won', 'lost', 'won', 'won', 'lost'],
    };
  }

  async function expectDoneOnce(): Promise<void> {
    const { items: left } = await store.list({ kind: 'k', limit: 10 });
    expect(left.map(({ id, revision, frequent }) => [id, revision, frequent])).to.deep.equal([
      ['k/t/a', 2, 'H'],
      ['k/t/b', 1, '{}'],
      ['k/t/d', 1, '{}'],
    ]);
  }

  for (const [name, errorCode] of Object.entries(STEP_DOWN_CODES)) {
    it(`commits each item once after ${name}, also when the driver has given up`, async () => {
      const { commits, expected } = await batch();
      await fail({ times: 8 }, { failCommands: WRITES, errorCode });
      expect(await commitAll(store, commits)).to.deep.equal(expected);
      await expectDoneOnce();
    });
  }

  it('commits each item once after connections that were closed', async () => {
    const { commits, expected } = await batch();
    await fail({ times: 8 }, { failCommands: WRITES, closeConnection: true });
    expect(await commitAll(store, commits)).to.deep.equal(expected);
    await expectDoneOnce();
  });

  it('recognises its commits that were applied before a majority could confirm them', async () => {
    const { commits, expected } = await batch();
    const writeConcernError = { code: 91, errmsg: 'Replication is being shut down' };
    await fail({ times: 5 }, { failCommands: WRITES, writeConcernError });
    expect(await commitAll(store, commits)).to.deep.equal(expected);
    await expectDoneOnce();
  });

  it('deletes a document once whose deletion a majority could not confirm', async () => {
    const stored = await create(store, 'k/t/a');
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
    await fail({ times: 2 }, { failCommands: ['delete'], writeConcernError });
    expect(await commitAll(store, [removal('k/t/a', stored)])).to.deep.equal(['won']);
    expect(await store.load('k/t/a')).to.equal(undefined);
  });

  it('recognises its commits although the first read of them failed', async () => {
    const { commits, expected } = await batch();
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
    await fail({ times: 5 }, { failCommands: WRITES, writeConcernError });
    const outcomes = commitAll(store, commits);
    await fail({ times: 2 }, { failCommands: ['find'], closeConnection: true });
    expect(await outcomes).to.deep.equal(expected);
    await expectDoneOnce();
  });

  it('reports an unknown outcome, not a lost one, if later commits hide whether one was applied', async () => {
    const first = await create(store, 'k/t/a');
    const mine = change('k/t/a', first, { frequent: 'mine' });
    await fail({ times: 2 }, { failCommands: ['update'], writeConcernError: { code: 91, errmsg: 'down' } });
    const outcome = commitOne(store, mine).catch((error: unknown) => (error as Error).name);
    const actors = operator.db().collection<{ _id: string; rev: number; by: string }>('actors');
    const applied = async (): Promise<boolean> =>
      (await actors.findOne({ _id: 'k/t/a' }))?.by === mine.commitId;
    while (!(await applied()));
    await actors.updateOne({ _id: 'k/t/a' }, { $set: { rev: 5, by: 'others' } });
    expect(await outcome).to.equal('StoreUnavailable');
    expect(await loadExisting(store, 'k/t/a')).to.include({ revision: 5, frequent: 'mine' });
  });

  it('gives up at once an operation that no server can apply', async () => {
    const { commits } = await batch();
    await fail({ times: 10_000 }, { failCommands: ['insert', 'update'], errorCode: 13 });
    const begun = Date.now();
    const outcomes = await commitAll(store, commits);
    for (const [at, outcome] of outcomes.entries()) {
      // The third one is a deletion, which is another command.
      if (at === 2) expect(outcome).to.equal('won');
      else {
        expect(outcome).to.be.instanceOf(StoreUnavailable);
        expect((outcome as Error).message).to.match(
          /^MongoDB did not confirm a commit; it may or may not have been carried out: \S/,
        );
      }
    }
    expect(Date.now() - begun).to.be.below(2_000);
  });

  it('is unavailable if no server becomes primary within its time', async () => {
    const { commits } = await batch();
    const impatient = await openMongo({ url, timeoutMs: 300 });
    await fail({ times: 10_000 }, { failCommands: WRITES, errorCode: 10107 });
    const begun = Date.now();
    const outcome = await impatient.commit(commits).then(
      () => 'an answer',
      (error: unknown) => (error as Error).name,
    );
    expect(outcome).to.equal('StoreUnavailable');
    expect(Date.now() - begun).to.be.below(3_000);
    await impatient.close();
  });
});
