import { Refusal } from '../errors.js';
import { StoreUnavailable } from '../store/port.js';
import type { Commit, Committed, Outcome, Store } from '../store/port.js';
import type { ActorKind } from './kind.js';
import { Lanes } from './fair-commits.js';

/** Called once with the outcome of a commit, or with the error for which there is none. */
export type Settle = (outcome: Outcome | undefined, error: unknown) => void;

export interface CommitterOptions {
  /** Most commits in one call of the store. */
  readonly batch: number;
  /** Most calls of the store under way at once. */
  readonly inFlight: number;
  /** Most commits of one kind waiting for a call; more are refused. */
  readonly waiting: number;
}

/** Batches the commits of different actors into few calls of the store. */
export interface Committer {
  /** True where no further commit of a kind can be taken in: whoever has one must refuse it. */
  isFull(kind: string): boolean;
  /**
   * Has a commit of an actor of that kind carried out, behind those of the same kind. Urgent kinds have a larger share
   * of each call where more waits than fits, and never all of it.
   */
  stage(commit: Commit, settle: Settle, kind: Pick<ActorKind, 'name' | 'urgent'>): void;
  /** Commits staged and not settled yet. */
  readonly pending: number;
  /** Takes nothing more; resolves when everything staged is settled. */
  close(): Promise<void>;
}

/** The share of a call that an urgent kind has, that of another one being 1. */
const URGENT = 3;

/** Makes a committer: what is staged in one turn of the event loop, or while calls are under way, goes together. */
export function createCommitter(store: Store, options: CommitterOptions): Committer {
  const waiting = new Lanes<Staged>();
  let calls = 0;
  let unsettled = 0;
  let scheduled = false;
  let closed = false;
  let whenIdle: (() => void)[] = [];

  const flush = (): void => {
    scheduled = false;
    while (waiting.size > 0 && calls < options.inFlight) {
      calls += 1;
      void commit(waiting.take(options.batch));
    }
  };

  const schedule = (): void => {
    if (scheduled || calls >= options.inFlight) return;
    scheduled = true;
    setImmediate(flush);
  };

  const commit = async (items: readonly Staged[]): Promise<void> => {
    const results = await resultsOf(store, items);
    calls -= 1;
    unsettled -= items.length;
    for (let i = 0; i < items.length; i += 1) settle(items[i]!, results[i]!);
    if (waiting.size > 0) flush();
    if (unsettled === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  return {
    isFull: (kind) => waiting.sizeOf(kind) >= options.waiting,
    get pending() {
      return unsettled;
    },
    stage(next, settle, { name, urgent }) {
      if (closed) {
        settle(undefined, overloaded('the service is stopping'));
        return;
      }
      waiting.push(name, urgent ? URGENT : 1, { commit: next, settle });
      unsettled += 1;
      schedule();
    },
    close() {
      closed = true;
      return unsettled === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve));
    },
  };
}

interface Staged {
  readonly commit: Commit;
  readonly settle: Settle;
}

function settle({ settle }: Staged, result: Committed): void {
  if (typeof result === 'string') settle(result, undefined);
  else settle(undefined, result);
}

/** Where a call fails for a reason that the store has not told of one commit, that one must not take the others with it. */
async function resultsOf(store: Store, items: readonly Staged[]): Promise<Committed[]> {
  try {
    return await store.commit(items.map((item) => item.commit));
  } catch (error) {
    if (items.length === 1 || error instanceof StoreUnavailable) {
      return items.map(() => error as Error);
    }
    const results: Committed[] = [];
    for (const item of items) results.push(...(await resultsOf(store, [item])));
    return results;
  }
}

/** The refusal for work that would have to queue beyond its limit. */
export function overloaded(what: string): Refusal {
  return new Refusal('unavailable', `${what}; nothing was done, try again in a second`);
}
