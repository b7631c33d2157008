import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { attempt } from './attempt.js';
import type { ActorDocument } from './document.js';
import { mayPass, unavailable } from './failure.js';
import { type Commit, type Committed, StoreUnavailable, Unstorable } from '../port.js';
import { isFirstOfRange, rangeOf } from '../revisions.js';

const UNCONFIRMED = 'MongoDB did not confirm a commit; it may or may not have been carried out';

/** Pauses between attempts, ms. */
const PAUSE = { first: 20, longest: 500 } as const;

/** A commit without a final result. */
interface Pending {
  readonly commit: Commit;
  readonly index: number;
  /** True if an attempt ended without an answer: it may have been applied. */
  doubtful: boolean;
  /** Why the result is open; undefined if the majority's data is behind. */
  failure: unknown;
}

/** The fields of a stored document that identify its last commit. */
type Trace = Pick<ActorDocument, 'rev' | 'by'>;

/**
 * Applies commits. A commit whose answer is lost is sent again for `timeoutMs`, and recognised by its `commitId` if the
 * first attempt was applied. If the outcome stays unknown, the result is a `StoreUnavailable`; if that is so for all,
 * rejects with one.
 */
export async function commitAll(
  actors: Collection<ActorDocument>,
  batch: readonly Commit[],
  timeoutMs: number,
): Promise<Committed[]> {
  const outcomes: Committed[] = [];
  const deadline = Date.now() + timeoutMs;
  let pending: Pending[] = batch.map((commit, index) => {
    return { commit, index, doubtful: false, failure: undefined };
  });
  let wait: number = PAUSE.first;
  for (;;) {
    const open = await round(actors, pending, outcomes);
    const late = Date.now() + wait > deadline;
    pending = [];
    for (const item of open) {
      const { failure } = item;
      if (!late && (failure === undefined || mayPass(failure))) pending.push(item);
      else
        outcomes[item.index] = unavailable(
          UNCONFIRMED,
          failure ?? new Error('the data of the majority is behind'),
        );
    }
    if (pending.length === 0) return known(outcomes);
    await pause(wait);
    wait = Math.min(wait * 2, PAUSE.longest);
  }
}

function known(outcomes: Committed[]): Committed[] {
  const [first] = outcomes;
  if (first instanceof StoreUnavailable && outcomes.every((one) => one instanceof StoreUnavailable))
    throw first;
  return outcomes;
}

/** Sends the pending commits once and sets the outcomes that are certain. Resolves with the others. */
async function round(
  actors: Collection<ActorDocument>,
  pending: readonly Pending[],
  outcomes: Committed[],
): Promise<Pending[]> {
  const attempts = await attempt(
    actors,
    pending.map((item) => item.commit),
  );
  const open: Pending[] = [];
  const missed: Pending[] = [];
  for (const [at, item] of pending.entries()) {
    const result = attempts[at]!;
    item.failure = undefined;
    if (result === 'won' || result instanceof Unstorable) outcomes[item.index] = result;
    else if (result === 'missed') missed.push(item);
    else {
      item.doubtful = true;
      item.failure = result;
      open.push(item);
    }
  }
  try {
    const traces = await readTraces(actors, missed);
    for (const item of missed) {
      const outcome = judge(item, traces.get(item.commit.id));
      if (outcome === undefined) open.push(item);
      else outcomes[item.index] = outcome;
    }
  } catch (error) {
    for (const item of missed) item.failure = error;
    open.push(...missed);
  }
  return open;
}

async function readTraces(
  actors: Collection<ActorDocument>,
  items: readonly Pending[],
): Promise<ReadonlyMap<string, Trace>> {
  if (items.length === 0) return new Map();
  const found = actors.find(
    { _id: { $in: items.map((item) => item.commit.id) } },
    { projection: { rev: 1, by: 1 } },
  );
  return new Map((await found.toArray()).map(({ _id: id, ...trace }) => [id, trace]));
}

/**
 * Returns the outcome of a commit that did not find its revision; undefined if it is still open. `stored` is the data of
 * the majority, which may be behind the data that the commit missed.
 *
 * A deletion that was sent before and finds no document has won: the document is gone, whichever deletion applied. A
 * change that finds a lower revision is moot: revisions grow, so the document that it changes has been deleted.
 */
function judge({ commit, doubtful }: Pending, stored: Trace | undefined): Committed | undefined {
  if (stored === undefined) {
    if (commit.next === undefined) return doubtful || commit.expected === 0 ? 'won' : 'lost';
    return doubtful ? undefined : 'lost';
  }
  if (stored.by === commit.commitId) return 'won';
  if (commit.expected > 0 && stored.rev === commit.expected) return undefined;
  // No other commit can have begun this range.
  if (commit.next !== undefined && begunBy(commit, stored)) return 'won';
  if (doubtful && commit.next !== undefined && stored.rev > commit.revision) {
    return new StoreUnavailable(`Whether a commit of ${commit.id} was carried out is hidden by later ones`);
  }
  return 'lost';
}

/** True if a commit began a range of revisions, and the stored revision is in that range. */
function begunBy({ revision }: Commit, stored: Trace): boolean {
  return isFirstOfRange(revision) && rangeOf(stored.rev) === rangeOf(revision);
}
