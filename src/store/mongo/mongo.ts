import { StartError } from '../../errors.js';
import { type Collection, type CommandStartedEvent, type Db, MongoClient, ReadConcern } from 'mongodb';
import { commitStorable } from '../check-commit.js';
import { answerOf, questionMs } from './answer.js';
import { commitAll } from './commit.js';
import { type ActorDocument, stored } from './document.js';
import { lruCache } from '../../system/lru-cache.js';
import { reasonOf } from '../../untrusted/reason.js';
import { unavailable } from './failure.js';
import { count, list, ordered, outline, queued, queues, tally } from './list.js';
import { keepTime, keptTime, reserveIn, writeOnce } from './own-documents.js';
import { probe, PROBE_KIND } from './probe.js';
import { readAll } from './read-all.js';
import type { Store } from '../port.js';
import { batchedReads } from './reads.js';
import { openRevisions, type Revisions } from '../revisions.js';
import { watchWrites } from '../write-watch.js';

/** The collection of all documents. */
export const ACTORS = 'actors';
/** Maximum number of listings, and of queues, whose start is remembered. */
const REMEMBERED = 10_000;

export interface MongoOptions {
  /** Connection string. The database is `mirzam` if it names none. */
  readonly url: string;
  /** Maximum time to find a server, and maximum time for its answer, ms; 5,000 if absent. */
  readonly timeoutMs?: number;
  /** Called for each command that is sent to the server. */
  readonly onCommand?: (event: CommandStartedEvent) => void;
}

/**
 * Opens the store that several nodes share, in MongoDB 6 or newer, and creates missing indexes. Rejects with
 * `StoreUnavailable` if no server answers, with a `StartError` if the server lacks what the store needs, and with an `Error`
 * if the connection string is faulty; no message holds the credentials.
 */
export async function openMongo(options: MongoOptions): Promise<Store> {
  const { timeoutMs = 5_000 } = options;
  const { client, database, losses } = databaseIn({ ...options, timeoutMs });
  const actors = database.collection<ActorDocument>(ACTORS);
  let revisions: Revisions;
  try {
    await probe(actors);
    revisions = await openRevisions(reserveIn(actors));
  } catch (error) {
    await client.close();
    throw error instanceof StartError ? error : unavailable('MongoDB cannot be used', error);
  }
  return storeOf({ client, actors, revisions, losses, timeoutMs });
}

/** Returns a client and the database that the connection string names. Throws an `Error` without credentials if it is faulty. */
export function databaseIn(
  options: MongoOptions & {
    readonly timeoutMs: number;
    /** Maximum time of an answer, ms; `timeoutMs` if absent. */
    readonly answerMs?: number;
  },
): {
  readonly client: MongoClient;
  readonly database: Db;
  /** Returns how many connections were lost: see `commitAll`. */
  readonly losses: () => number;
} {
  const { url, timeoutMs, answerMs = timeoutMs, onCommand } = options;
  const client = clientOf(url, { timeoutMs, answerMs, monitorCommands: onCommand !== undefined });
  if (onCommand !== undefined) client.on('commandStarted', onCommand);
  let lost = 0;
  const count = (): void => void (lost += 1);
  // The pool of a server that steps down is cleared while its connections stay open.
  client.on('connectionClosed', count).on('connectionPoolCleared', count);
  return { client, database: client.db(databaseOf(url)), losses: () => lost };
}

function clientOf(
  url: string,
  {
    timeoutMs,
    answerMs,
    monitorCommands,
  }: { readonly timeoutMs: number; readonly answerMs: number; readonly monitorCommands: boolean },
): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'mirzam',
      monitorCommands,
      writeConcern: { w: 'majority', journal: true },
      readConcern: new ReadConcern('majority'),
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      serverSelectionTimeoutMS: timeoutMs,
      connectTimeoutMS: timeoutMs,
      socketTimeoutMS: answerMs,
    });
  } catch (error) {
    // oxlint-disable-next-line eslint/preserve-caught-error -- its message may quote the credentials
    throw new Error(`The MongoDB connection string cannot be used: ${reasonOf(error)}`);
  }
}

function databaseOf(url: string): string | undefined {
  return /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url) ? undefined : 'mirzam';
}

function storeOf(options: {
  readonly client: MongoClient;
  readonly actors: Collection<ActorDocument>;
  readonly revisions: Revisions;
  readonly losses: () => number;
  readonly timeoutMs: number;
}): Store {
  const { client, actors, revisions, losses, timeoutMs } = options;
  const queueStarts = lruCache<number>(REMEMBERED);
  const pageEnds = lruCache<string>(REMEMBERED);
  const read = batchedReads(actors, timeoutMs);
  const writes = watchWrites((characters) => writeOnce(actors, characters));

  /** Runs a read; every error becomes a `StoreUnavailable`. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await answerOf(question(), questionMs(timeoutMs));
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
        const document = await read(id);
        return document && stored(document);
      }),
    commit: (batch) =>
      writes.commit(batch, () =>
        commitStorable(batch, (storable) => commitAll({ actors, read, losses, timeoutMs }, storable)),
      ),
    hold: () => undefined,
    list: (query) => ask(() => list(actors, pageEnds, query)),
    outline: (query) => ask(() => outline(actors, query)),
    tally: (query) => ask(() => tally(actors, query)),
    ordered: (query) => ask(() => ordered(actors, pageEnds, query)),
    readAll: (first = []) => readAll(actors, first, ask),
    kinds: () => ask(() => actors.distinct('kind', { kind: { $ne: PROBE_KIND } })),
    count: (query) => ask(() => count(actors, query)),
    due: (now, limit) =>
      ask(async () => {
        const found = actors.find({ wakeAt: { $lte: now } }, { sort: { wakeAt: 1 }, limit });
        return (await found.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id: id }) => id);
      }),
    queues: (after, limit) => ask(() => queues(actors, queueStarts, after, limit)),
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
