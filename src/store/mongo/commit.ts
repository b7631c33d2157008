import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { attempt } from './attempt.js';
import type { ActorDocument } from './document.js';
import { mayPass, unavailable } from './failure.js';
import { StoreUnavailable, Unstorable } from '../port.js';
import type { Commit, Committed } from '../port.js';
import { isFirstOfRange, rangeOf } from '../revisions.js';

const UNCONFIRMED = 'MongoDB did not confirm a commit; it may or may not have been carried out';

/** Pauses between attempts, ms. */
const PAUSE = { first: 20, longest: 500 } as const;

/** A commit on its way. */
interface Pending {
  readonly commit: Commit;
  readonly index: number;
  /** True once an attempt ended without an answer: it may have been carried out. */
  doubtful: boolean;
  /** Why it is still open; undefined where what a majority has is behind. */
  failure: unknown;
}

/** What is stored of a document, as far as a commit can be told from it. */
type Trace = Pick<ActorDocument, 'rev' | 'by'>;

/**
 * Carries commits out. Those whose answer got lost are sent again, until `timeoutMs` are over, and known again by
 * their id if the first attempt was the one that counted; where that does not tell, the result is a
 * `StoreUnavailable`. Rejects with one where it is the result of all.
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
          failure ?? new Error('what a majority has is behind'),
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

/** Sends what is pending once, and notes the outcomes that are certain. Gives what is still open. */
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
 * The outcome of a commit that did not find its revision; undefined where the answer is still to come. What is read
 * here has reached a majority, and may therefore be behind what made the commit miss.
 *
 * A removal that had been sent before and finds nothing has won: whoever removed the document, nothing of it is left
 * that either could act on. The same is true of a change where a document of a lower revision is found, as revisions grow:
 * the one that was to be changed has been removed.
 */
function judge({ commit, doubtful }: Pending, stored: Trace | undefined): Committed | undefined {
  if (stored === undefined) {
    if (commit.next === undefined) return doubtful || commit.expected === 0 ? 'won' : 'lost';
    return doubtful ? undefined : 'lost';
  }
  if (stored.by === commit.commitId) return 'won';
  if (commit.expected > 0 && stored.rev === commit.expected) return undefined;
  // Nobody else can have begun this range.
  if (commit.next !== undefined && begunBy(commit, stored)) return 'won';
  if (doubtful && commit.next !== undefined && stored.rev > commit.revision) {
    return new StoreUnavailable(`Whether a commit of ${commit.id} was carried out is hidden by later ones`);
  }
  return 'lost';
}

/** True where a commit began a range of revisions with its own, and later ones have gone on in it. */
function begunBy({ revision }: Commit, stored: Trace): boolean {
  return isFirstOfRange(revision) && rangeOf(stored.rev) === rangeOf(revision);
}
