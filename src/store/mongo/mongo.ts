import { StartError } from '../../errors.js';
import { type Collection, MongoBulkWriteError, MongoClient, ReadConcern } from 'mongodb';
import { commitStorable } from '../check-commit.js';
import { commitAll } from './commit.js';
import { type ActorDocument, NOT_FOUND_CODE, stored, writeOf } from './document.js';
import { reasonOf } from '../../untrusted/reason.js';
import { unavailable } from './failure.js';
import {
  count,
  list,
  ORDER_INDEXES,
  ordered,
  outline,
  type PageEnds,
  QUEUE_INDEX,
  queued,
  queues,
  type QueueStarts,
  tally,
  TALLY_INDEX,
} from './list.js';
import { checkFormat } from './format.js';
import { keepTime, keptTime, reserveIn } from './numbers.js';
import type { Store } from '../port.js';
import { openRevisions, type Revisions } from '../revisions.js';
import { watchWrites } from '../write-watch.js';
import { writeOnce } from './trial-write.js';

export interface MongoOptions {
  /** Connection string. The database is `mirzam` if it names none. */
  readonly url: string;
  /** Maximum time to find a server, and maximum time for its answer, ms; 5,000 if absent. */
  readonly timeoutMs?: number;
}

/**
 * Opens the store that several nodes share, in MongoDB 6 or newer, and creates missing indexes. Rejects with
 * `StoreUnavailable` if no server answers, and with an `Error` if the connection string is faulty; neither message holds
 * the credentials.
 */
export async function openMongo(options: MongoOptions): Promise<Store> {
  const { url, timeoutMs = 5_000 } = options;
  const client = clientOf(url, timeoutMs);
  const actors = client.db(databaseOf(url)).collection<ActorDocument>('actors');
  let revisions: Revisions;
  try {
    await checkFormat(actors);
    await prepare(actors);
    revisions = await openRevisions(reserveIn(actors));
  } catch (error) {
    await client.close();
    throw error instanceof StartError ? error : unavailable('MongoDB cannot be used', error);
  }
  return storeOf(client, actors, revisions, timeoutMs);
}

function clientOf(url: string, timeoutMs: number): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'mirzam',
      writeConcern: { w: 'majority', journal: true },
      readConcern: new ReadConcern('majority'),
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      serverSelectionTimeoutMS: timeoutMs,
      connectTimeoutMS: timeoutMs,
      socketTimeoutMS: timeoutMs,
    });
  } catch (error) {
    // oxlint-disable-next-line eslint/preserve-caught-error -- its message may quote the credentials
    throw new Error(`The MongoDB connection string cannot be used: ${reasonOf(error)}`);
  }
}

function databaseOf(url: string): string | undefined {
  return /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url) ? undefined : 'mirzam';
}

async function prepare(actors: Collection<ActorDocument>): Promise<void> {
  await actors.createIndexes([
    { key: { kind: 1, state: 1, _id: 1 } },
    { key: { wakeAt: 1 }, partialFilterExpression: { wakeAt: { $exists: true } } },
    ...ORDER_INDEXES.map((key) => ({ key, partialFilterExpression: { order: { $exists: true } } })),
    { key: TALLY_INDEX, partialFilterExpression: { tenant: { $exists: true } } },
    { key: QUEUE_INDEX, partialFilterExpression: { turnAt: { $exists: true } } },
  ]);
  await refuseOddServer(actors);
}

/** Rejects for a server whose upserts work otherwise than `writeOf` expects: compare-and-set would not hold. */
async function refuseOddServer(actors: Collection<ActorDocument>): Promise<void> {
  const next = { version: 0, state: 'probe', wakeAt: undefined, frequent: '', rare: '' };
  const probe = writeOf(
    { id: 'probe//', expected: 1, revision: 2, commitId: 'probe', next, previous: undefined },
    next,
  );
  try {
    await actors.bulkWrite([probe]);
  } catch (error) {
    if (error instanceof MongoBulkWriteError && error.code === NOT_FOUND_CODE) return;
    throw error;
  }
  throw new Error('the server is no MongoDB: it carried out an upsert that must fail');
}

function storeOf(
  client: MongoClient,
  actors: Collection<ActorDocument>,
  revisions: Revisions,
  timeoutMs: number,
): Store {
  const queueStarts: QueueStarts = new Map();
  const pageEnds: PageEnds = new Map();
  const writes = watchWrites((characters) => writeOnce(actors, characters));

  /** Runs a read; every error becomes a `StoreUnavailable`. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      throw unavailable('MongoDB did not answer', error);
    }
  };

  return {
    shared: true,
    atOnce: Infinity,
    nextRevision: (current) => revisions.next(current),
    load: (id) =>
      ask(async () => {
        const document = await actors.findOne({ _id: id });
        return document === null ? undefined : stored(document);
      }),
    commit: (batch) =>
      writes.commit(batch, () => commitStorable(batch, (storable) => commitAll(actors, storable, timeoutMs))),
    hold: () => undefined,
    list: (query) => ask(() => list(actors, pageEnds, query)),
    outline: (query) => ask(() => outline(actors, query)),
    tally: (query) => ask(() => tally(actors, query)),
    ordered: (query) => ask(() => ordered(actors, pageEnds, query)),
    kinds: () => ask(() => actors.distinct('kind')),
    count: (query) => ask(() => count(actors, query)),
    due: (now, limit) =>
      ask(async () => {
        const found = actors.find({ wakeAt: { $lte: now } }, { sort: { wakeAt: 1 }, limit });
        return (await found.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id: id }) => id);
      }),
    queues: (after, limit) => ask(() => queues(actors, after, limit)),
    queued: (queue, from, limit) => ask(() => queued(actors, queueStarts, queue, from, limit)),
    keepTime: (at) => ask(() => keepTime(actors, at)),
    keptTime: () => ask(() => keptTime(actors)),
    async ping() {
      await ask(() => client.db().command({ ping: 1 }));
      await writes.check();
    },
    close: () => client.close(),
  };
}
