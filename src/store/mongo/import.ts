import { randomUUID } from 'node:crypto';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import { StartError } from '../../errors.js';
import { commitStorable } from '../check-commit.js';
import { type Committed, type StoreImport, Undecided } from '../port.js';
import { commitAll, type CommitOptions } from './commit.js';
import type { ActorDocument } from './document.js';
import { unavailable } from './failure.js';
import { ACTORS, databaseIn } from './mongo.js';
import { isFormatIn, keepTime, reserveAll } from './own-documents.js';
import { probe } from './probe.js';
import { batchedReads } from './reads.js';

/** How the names of collections begin that imports fill. */
const UNFINISHED = 'actors-import-';
/** NamespaceExists. */
const EXISTS = 48;
/** NamespaceNotFound. */
const NOT_FOUND = 26;
/** Maximum time to find a server, and for a commit, ms: a server that writes much answers late, and nobody waits. */
const TIMEOUT_MS = 60_000;
/** Maximum time of an answer, ms: engines that rename by copying need minutes. */
const ANSWER_MS = 600_000;

/**
 * Opens an import into a database: see `openStoreImport`. It fills a collection of its own, and then gives it the name that
 * services look for. The server refuses that if a collection has the name.
 */
export async function openMongoImport(url: string): Promise<StoreImport> {
  const { client, database, losses } = databaseIn({ url, timeoutMs: TIMEOUT_MS, answerMs: ANSWER_MS });
  try {
    await dropUnfinished(database);
    await refuseFilled(database);
    const actors = await unfinishedIn(database);
    await probe(actors);
    return importInto(database, { actors, losses, timeoutMs: TIMEOUT_MS }, () => client.close());
  } catch (error) {
    await client.close();
    throw error instanceof StartError ? error : unavailable('MongoDB cannot be used', error);
  }
}

function importInto(
  database: Db,
  options: Omit<CommitOptions, 'read'>,
  closeClient: () => Promise<void>,
): StoreImport {
  const { actors, timeoutMs } = options;
  const read = batchedReads(actors, timeoutMs);
  let isFinished = false;
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof StartError ? error : unavailable('MongoDB cannot be filled', error);
    }
  };
  return {
    commit: (batch) =>
      ask(async () => {
        const results = await commitStorable(batch, (storable) => commitAll({ ...options, read }, storable));
        return Promise.all(
          results.map(async (result): Promise<Committed> =>
            result instanceof Undecided ? result.decided : result,
          ),
        );
      }),
    finish: ({ reserved, keptTime }) =>
      ask(async () => {
        await reserveAll(actors, reserved);
        if (keptTime !== undefined) await keepTime(actors, keptTime);
        // Only the start of the import writes it: a collection without it was dropped meanwhile, and made again by a write.
        if (!(await isFormatIn(actors))) throw lost(database);
        await renameTo(database, actors);
        isFinished = true;
      }),
    async close() {
      if (!isFinished) await actors.drop().catch(() => undefined);
      await closeClient();
    },
  };
}

async function renameTo(database: Db, actors: Collection<ActorDocument>): Promise<void> {
  try {
    await database.renameCollection(actors.collectionName, ACTORS);
  } catch (error) {
    const code = error instanceof MongoServerError ? error.code : undefined;
    if (code === EXISTS) throw filled(database);
    if (code === NOT_FOUND) throw lost(database);
    // Without an answer the server may still be at it. The drop waits for it, and finds nothing if the name was given.
    await actors.drop();
    if ((await namesIn(database)).includes(ACTORS)) return;
    throw error;
  }
}

/** Creates the collection to fill. Its name is given to it as the import does at its end: some engines cannot. */
async function unfinishedIn(database: Db): Promise<Collection<ActorDocument>> {
  const name = `${UNFINISHED}${randomUUID().slice(0, 8)}`;
  const created = await database.createCollection(`${name}-new`);
  try {
    await database.renameCollection(created.collectionName, name);
  } catch (error) {
    await created.drop().catch(() => undefined);
    if (!(error instanceof MongoServerError)) throw error;
    throw new StartError(
      `The server of MONGODB_URL does not rename a collection, which an import needs: ${error.message}`,
      { cause: error },
    );
  }
  return database.collection<ActorDocument>(name);
}

/** Throws a `StartError` for a database with a store. */
async function refuseFilled(database: Db): Promise<void> {
  if ((await namesIn(database)).includes(ACTORS)) throw filled(database);
}

/** Removes what imports have left that were killed. */
async function dropUnfinished(database: Db): Promise<void> {
  for (const name of await namesIn(database))
    if (name.startsWith(UNFINISHED)) await database.dropCollection(name);
}

async function namesIn(database: Db): Promise<readonly string[]> {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  return collections.map(({ name }) => name);
}

function filled({ databaseName }: Db): StartError {
  return new StartError(
    `The database ${databaseName} has a store, the collection ${ACTORS}: name another database in MONGODB_URL, or stop its ` +
      'services and drop that collection',
  );
}

function lost({ databaseName }: Db): StartError {
  return new StartError(
    `Another import into the database ${databaseName} has begun, and removed what this one had written: run one at a time`,
  );
}
