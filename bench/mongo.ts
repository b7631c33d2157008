import { type AnyBulkWriteOperation, type Collection, MongoClient } from 'mongodb';
import type { FactsOptions } from './facts.js';
import { load, SERVERS } from './facts-load.js';
import { median, ratio } from './ratios.js';
import { subscribeServers } from './rules.js';
import { startMirzam } from './target.js';

/** The fields of a server's document that the bare writer changes, as the service does with every fact. */
interface ServerDocument {
  readonly _id: string;
  readonly rev: number;
  readonly frequent: string;
}

/** Updates in one bulk of the bare writer. */
const BULK = 64;
/** Bulks of the bare writer that are under way together. */
const CONCURRENT = 2;
/** Facts that fill the windows of all servers. Until then, changes of subscription states are further commits. */
const WARM_UP_FACTS = 10 * SERVERS;
/** Duration of each load that sends them, s. */
const WARM_UP_S = 15;

/**
 * Measures the throughput of operation P1 on MongoDB as a ratio to a bare writer: unordered bulks that change the same
 * documents, with the same durability, on the same server. Both alternate. `url` is that of the server, without a database.
 */
export async function measureMongo(
  url: string,
  { rounds, seconds, connections }: FactsOptions,
): Promise<object> {
  const database = `mirzam-bench-${Date.now()}`;
  const mirzam = await startMirzam('mirzam', { MONGODB_URL: databaseAt(url, database) });
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  try {
    await subscribeServers(mirzam.url);
    for (let warm = 0; warm < WARM_UP_FACTS;)
      warm += (await load(mirzam.url, { seconds: WARM_UP_S, connections })).requests;
    const service = client.db(database).collection<ServerDocument>('actors');
    const bare = client.db(`${database}-bare`).collection<ServerDocument>('actors');
    await copy(service, bare);
    const runs: { readonly facts: number; readonly writes: number }[] = [];
    let failed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const measured = await load(mirzam.url, { seconds, connections });
      const writes = await writeFor(bare, seconds);
      failed += measured.failed;
      runs.push({ facts: measured.requestsPerS, writes });
      console.log(
        `round ${round + 1}  P1 on MongoDB ${measured.requestsPerS.toFixed(0).padStart(6)} req/s  p99 ${measured.p99} ms  ` +
          `failed ${measured.failed}  bare bulks ${writes.toFixed(0).padStart(6)} writes/s`,
      );
    }
    const ofBare = median(runs.map(({ facts, writes }) => ratio(facts, writes)));
    console.log(`\nP1 on MongoDB, ${connections} connections: ${ofBare} of bare bulks (median of ${rounds})`);
    console.log(`failed requests: ${failed}`);
    return { rounds, seconds, connections, ofBareBulks: ofBare, failed };
  } finally {
    await mirzam.stop();
    await client.db(database).dropDatabase();
    await client.db(`${database}-bare`).dropDatabase();
    await client.close();
  }
}

/** Returns the connection string of a database on a server. */
export function databaseAt(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Copies the documents of the servers, and the indexes. */
async function copy(from: Collection<ServerDocument>, to: Collection<ServerDocument>): Promise<void> {
  const documents = await from.find({ _id: { $gte: 'server/', $lt: 'server0' } }).toArray();
  if (documents.length !== SERVERS) throw new Error(`${documents.length} documents of servers are stored`);
  await to.insertMany(documents);
  for (const { key, name, partialFilterExpression } of await from.indexes()) {
    if (name === '_id_') continue;
    await to.createIndexes([
      { key, ...(partialFilterExpression !== undefined && { partialFilterExpression }) },
    ]);
  }
}

/** Changes the documents for so many seconds. Resolves with the writes per second. */
async function writeFor(documents: Collection<ServerDocument>, seconds: number): Promise<number> {
  const stored = await documents.find().toArray();
  const share = Math.floor(stored.length / CONCURRENT);
  const begun = performance.now();
  let writes = 0;
  const write = async (own: readonly ServerDocument[]): Promise<void> => {
    for (let at = 0; performance.now() - begun < seconds * 1000; at += BULK) {
      const bulk = Array.from({ length: BULK }, (_, i) => own[(at + i) % own.length]!);
      await documents.bulkWrite(bulk.map(changeOf), { ordered: false });
      writes += BULK;
    }
  };
  await Promise.all(
    Array.from({ length: CONCURRENT }, (_, n) => write(stored.slice(n * share, (n + 1) * share))),
  );
  return writes / ((performance.now() - begun) / 1000);
}

/** Returns the change of a document: a text of the same length, another revision. */
function changeOf({ _id, frequent }: ServerDocument): AnyBulkWriteOperation<ServerDocument> {
  return { updateOne: { filter: { _id }, update: { $inc: { rev: 1 }, $set: { frequent } } } };
}
