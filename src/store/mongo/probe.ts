import { randomUUID } from 'node:crypto';
import { type Collection, MongoBulkWriteError, MongoServerError } from 'mongodb';
import { StartError } from '../../errors.js';
import { lruCache } from '../../system/lru-cache.js';
import { oneLine } from '../../untrusted/text.js';
import { type Commit, Unstorable } from '../port.js';
import { type Attempt, attempt } from './attempt.js';
import type { ActorDocument } from './document.js';
import { mayPass } from './failure.js';
import { checkFormat } from './own-documents.js';
import { count, INDEXES, list, tally } from './list.js';

/** Kind of the documents that the probe writes and removes. No actor has it. */
export const PROBE_KIND = 'probe';

const READS = 'reads of what a majority has (read concern "majority")';
const WRITES = 'writes that a majority confirms with its journal (write concern "majority", j)';

/** Codes that do not tell whether the server can do it: ExceededTimeLimit, OutOfDiskSpace. */
const OPEN: ReadonlySet<unknown> = new Set([50, 14_031]);
/** UnknownReplWriteConcern, UnsatisfiableWriteConcern. */
const NO_CONCERN: ReadonlySet<unknown> = new Set([79, 100]);

/** Tries an ability. Resolves with false, or rejects with the server's error, if the server does not have it. */
type Trial = (actors: Collection<ActorDocument>, ids: readonly [string, string, string]) => Promise<boolean>;

/** What the store needs of its server, each with a trial. A trial finds what the ones before have written. */
const NEEDS: readonly (readonly [ability: string, trial: Trial])[] = [
  [READS, async (actors, [a]) => (await actors.findOne({ _id: a })) === null],
  [
    WRITES,
    async (actors, [a]) => {
      // An empty database gets its format before any other document.
      await checkFormat(actors);
      return gives(actors, [creation(a)], 'won');
    },
  ],
  [
    'partial indexes (createIndexes with a partialFilterExpression of $exists)',
    async (actors) => (await actors.createIndexes(INDEXES)).length === INDEXES.length,
  ],
  [
    'compare-and-set (an update changes the document if its filter has the revision, and only then)',
    async (actors, [a]) =>
      (await gives(actors, [change(a, 2)], 'missed')) &&
      (await gives(actors, [change(a, 1)], 'won')) &&
      (await actors.findOne({ _id: a }))?.rev === 2,
  ],
  ['$unset in an update', async (actors, [a]) => (await actors.findOne({ _id: a }))?.wakeAt === undefined],
  [
    'unordered bulk writes in which each operation succeeds or fails by itself (with the codes 11000 and 28)',
    (actors, [a, b, c]) =>
      gives(
        actors,
        [creation(a), change(b, 1), creation(c), change(c, 5), change(a, 2)],
        'missed',
        'missed',
        'won',
        'missed',
        'won',
      ),
  ],
  [
    'sorted listings, groups and counts (find with sort, aggregate with $group)',
    async (actors, [a, , c]) => {
      const query = { kind: PROBE_KIND, tenant: tenantOf(a), limit: 9 };
      const [{ items }, [tagged], all] = await Promise.all([
        list(actors, lruCache(1), query),
        tally(actors, query),
        count(actors, query),
      ]);
      return items.map(({ id }) => id).join() === `${a},${c}` && all === 2 && tagged?.count === 2;
    },
  ],
  [
    'counters (findAndModify with $inc and the new document)',
    async (actors, [a]) => {
      const found = await actors.findOneAndUpdate(
        { _id: a },
        { $inc: { rev: 5 } },
        { returnDocument: 'after' },
      );
      return found?.rev === 8;
    },
  ],
  [
    'deletions that tell whether they found a document',
    async (actors, [a]) =>
      (await gives(actors, [removal(a, 2)], 'missed')) && (await gives(actors, [removal(a, 8)], 'won')),
  ],
];

/**
 * Checks the format of the store, creates its indexes, and tries all that it needs of its server, on documents that it removes
 * again. Rejects with a `StartError` that names what the server lacks, and with the driver's error if that stays open.
 */
export async function probe(actors: Collection<ActorDocument>): Promise<void> {
  const stem = `${PROBE_KIND}/${randomUUID()}`;
  const ids = [`${stem}/a`, `${stem}/b`, `${stem}/c`] as const;
  const missing: string[] = [];
  try {
    for (const [ability, trial] of NEEDS) {
      await tried(ability, () => trial(actors, ids), missing);
      // Without these two nothing else can be tried.
      if (missing.length > 0 && (ability === READS || ability === WRITES)) break;
    }
  } finally {
    await actors.deleteMany({ _id: { $in: [...ids] } }).catch(() => undefined);
  }
  refuse(missing);
}

async function tried(ability: string, trial: () => Promise<boolean>, missing: string[]): Promise<void> {
  try {
    if (!(await trial())) missing.push(ability);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    missing.push(`${ability}: ${oneLine(error.message, 200)}`);
  }
}

/** True for an answer of the server that will be the same at the next start. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof MongoServerError)) return false;
  const concern = error instanceof MongoBulkWriteError ? error.result.getWriteConcernError() : undefined;
  return NO_CONCERN.has(concern?.code ?? error.code) || !(OPEN.has(error.code) || mayPass(error));
}

function refuse(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new StartError(
    `The server of MONGODB_URL lacks what Mirzam needs of it: ${missing.join('; ')}. Use MongoDB 6 or newer as a ` +
      'replica set, or another engine of docs/scaling.md; if the message speaks of rights, give the user the role readWrite',
  );
}

/** True if the commits, sent once and together, have these results. Rejects with the error of one that has none. */
async function gives(
  actors: Collection<ActorDocument>,
  commits: readonly Commit[],
  ...expected: readonly Attempt[]
): Promise<boolean> {
  const results = await attempt(actors, commits);
  const error = results.find((result) => result instanceof Error);
  if (error !== undefined) throw error instanceof Unstorable ? (error.cause as Error) : error;
  return results.every((result, at) => result === expected[at]);
}

function creation(id: string): Commit {
  const next = { version: 0, state: 'probe', wakeAt: Number.MAX_SAFE_INTEGER, frequent: '', rare: '' };
  const place = { order: undefined, tags: 'p' };
  return { id, expected: 0, revision: 1, commitId: 'probe', next: { ...next, place }, previous: undefined };
}

function change(id: string, expected: number): Commit {
  const next = { version: 0, state: 'probe', wakeAt: undefined, frequent: 'changed', rare: undefined };
  const previous = {
    state: 'probe',
    wakeAt: Number.MAX_SAFE_INTEGER,
    place: { order: undefined, tags: 'p' },
  };
  return { id, expected, revision: expected + 1, commitId: 'probe', next, previous };
}

function removal(id: string, expected: number): Commit {
  return { ...change(id, expected), next: undefined };
}

function tenantOf(id: string): string {
  return id.split('/')[1]!;
}
