import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { answerOf, retriedMs } from './answer.js';
import { attempt } from './attempt.js';
import { type ActorDocument, stored } from './document.js';
import { mayPass, unavailable } from './failure.js';
import {
  type Commit,
  type Committed,
  type Result,
  StoreUnavailable,
  Undecided,
  Unstorable,
} from '../port.js';
import type { ReadDocument } from './reads.js';
import { isFirstOfRange, rangeOf } from '../revisions.js';

const UNCONFIRMED = 'MongoDB did not confirm a commit; it may or may not have been carried out';

/** Pauses between attempts, ms. */
const PAUSE = { first: 20, longest: 500 } as const;

/** A commit on its way to a final result. */
interface Pending {
  readonly commit: Commit;
  /** undefined: it is open. */
  result: Committed | undefined;
  /** True if the last attempt did not find the expected revision. */
  missed: boolean;
  /** True if an attempt, or the driver's repetition of one, ended without an answer: it may have been applied. */
  doubtful: boolean;
  /** Why the result is open; undefined if the majority's data is behind. */
  failure: unknown;
}

/** The fields of a stored document that identify its last commit. */
type Trace = Pick<ActorDocument, 'rev' | 'by'>;

/** What commits are applied with. */
export interface CommitOptions {
  readonly actors: Collection<ActorDocument>;
  readonly read: ReadDocument;
  /** Returns how many connections were lost. */
  readonly losses: () => number;
  readonly timeoutMs: number;
}

/**
 * Applies commits. A commit whose answer is lost is sent again for `timeoutMs`, and recognised by its `commitId` if the
 * first attempt was applied. If the outcome stays unknown, the result is a `StoreUnavailable`; if that is so for all,
 * rejects with one. A commit that did not find its revision is undecided, as the document must be read first.
 */
export async function commitAll(
  { actors, read, losses, timeoutMs }: CommitOptions,
  batch: readonly Commit[],
): Promise<Result[]> {
  const deadline = Date.now() + timeoutMs;
  const items = batch.map((commit): Pending => {
    return { commit, result: undefined, missed: false, doubtful: false, failure: undefined };
  });

  const finish = async (all: readonly Pending[]): Promise<void> => {
    let open = all;
    for (let wait: number = PAUSE.first; ; wait = Math.min(wait * 2, PAUSE.longest)) {
      await Promise.all(open.filter(({ missed }) => missed).map((item) => lookUp(read, item)));
      const late = Date.now() + wait > deadline;
      for (const item of open) if (late || !isPassing(item)) item.result ??= unconfirmed(item);
      open = open.filter(({ result }) => result === undefined);
      if (open.length === 0) return;
      await pause(wait);
      await attemptAll(open);
    }
  };
  const attemptAll = async (all: readonly Pending[]): Promise<void> => {
    const before = losses();
    await send(actors, all, timeoutMs);
    // The driver has repeated what it sent on a lost connection. An engine that does not know it again misses the revision then.
    if (losses() !== before) for (const item of all) item.doubtful ||= item.missed;
  };

  await attemptAll(items);
  await finish(items.filter(({ doubtful }) => doubtful));
  const results = items.map((item) => item.result ?? new Undecided(finish([item]).then(() => item.result!)));
  return known(results);
}

function known(results: Result[]): Result[] {
  const [first] = results;
  if (first instanceof StoreUnavailable && results.every((one) => one instanceof StoreUnavailable))
    throw first;
  return results;
}

/** True if another attempt may give a result. */
function isPassing({ failure }: Pending): boolean {
  return failure === undefined || mayPass(failure);
}

function unconfirmed({ failure }: Pending): StoreUnavailable {
  return unavailable(UNCONFIRMED, failure ?? new Error('the data of the majority is behind'));
}

/** Sends commits once, and sets the results that are certain. */
async function send(
  actors: Collection<ActorDocument>,
  items: readonly Pending[],
  timeoutMs: number,
): Promise<void> {
  const commits = items.map((item) => item.commit);
  const attempts = await answerOf(attempt(actors, commits), retriedMs(timeoutMs)).catch((error: unknown) =>
    commits.map(() => error as Error),
  );
  for (const [at, item] of items.entries()) {
    const result = attempts[at]!;
    item.failure = undefined;
    item.missed = result === 'missed';
    if (result === 'won' || result instanceof Unstorable) item.result = result;
    else if (result !== 'missed') {
      item.doubtful = true;
      item.failure = result;
    }
  }
}

/** Reads the document that a commit missed, and sets the result if that makes it certain. */
async function lookUp(read: ReadDocument, item: Pending): Promise<void> {
  try {
    const document = await read(item.commit.id);
    const result = judge(item, document);
    item.result = result === 'lost' && document !== undefined ? stored(document) : result;
  } catch (error) {
    item.failure = error;
  }
}

/**
 * Returns the outcome of a commit that did not find its revision; undefined if it is still open. `found` is the data of
 * the majority, which may be behind the data that the commit missed.
 *
 * A deletion that was sent before and finds no document has won: the document is gone, whichever deletion applied. A
 * change that finds a lower revision is moot: revisions grow, so the document that it changes has been deleted.
 */
function judge(
  { commit, doubtful }: Pending,
  found: Trace | undefined,
): 'won' | 'lost' | StoreUnavailable | undefined {
  if (found === undefined) {
    if (commit.next === undefined) return doubtful || commit.expected === 0 ? 'won' : 'lost';
    return doubtful ? undefined : 'lost';
  }
  if (found.by === commit.commitId) return 'won';
  if (commit.expected > 0 && found.rev === commit.expected) return undefined;
  // No other commit can have begun this range.
  if (commit.next !== undefined && begunBy(commit, found)) return 'won';
  if (doubtful && commit.next !== undefined && found.rev > commit.revision) {
    return new StoreUnavailable(`Whether a commit of ${commit.id} was carried out is hidden by later ones`);
  }
  return 'lost';
}

/** True if a commit began a range of revisions, and the stored revision is in that range. */
function begunBy({ revision }: Commit, { rev }: Trace): boolean {
  return isFirstOfRange(revision) && rangeOf(rev) === rangeOf(revision);
}
