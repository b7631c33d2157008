import { Refusal } from '../errors.js';
import { StoreUnavailable } from '../store/port.js';
import type { Commit, Outcome, Store } from '../store/port.js';

/** Called once with the outcome of a commit, or with the error for which there is none. */
export type Settle = (outcome: Outcome | undefined, error: unknown) => void;

export interface CommitterOptions {
  /** Most commits in one call of the store. */
  readonly batch: number;
  /** Most calls of the store under way at once. */
  readonly inFlight: number;
  /** Most commits waiting for a call; more are refused. */
  readonly waiting: number;
}

/** Batches the commits of different actors into few calls of the store. */
export interface Committer {
  /** True where no further commit can be taken in: whoever has one must refuse it. */
  readonly full: boolean;
  /** An `urgent` commit goes before others that wait. */
  stage(commit: Commit, settle: Settle, urgent?: boolean): void;
  /** Commits staged and not settled yet. */
  readonly pending: number;
  /** Takes nothing more; resolves when everything staged is settled. */
  close(): Promise<void>;
}

/** Makes a committer: what is staged in one turn of the event loop, or while calls are under way, goes together. */
export function createCommitter(store: Store, options: CommitterOptions): Committer {
  let waiting: Staged[] = [];
  let calls = 0;
  let unsettled = 0;
  let scheduled = false;
  let closed = false;
  let whenIdle: (() => void)[] = [];

  const flush = (): void => {
    scheduled = false;
    while (waiting.length > 0 && calls < options.inFlight) {
      const items = waiting.length <= options.batch ? waiting : waiting.slice(0, options.batch);
      waiting = waiting.length <= options.batch ? [] : waiting.slice(options.batch);
      calls += 1;
      void commit(items);
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
    if (waiting.length > 0) flush();
    if (unsettled === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  return {
    get full() {
      return waiting.length >= options.waiting;
    },
    get pending() {
      return unsettled;
    },
    stage(next, settle, urgent = false) {
      if (closed) {
        settle(undefined, overloaded('the service is stopping'));
        return;
      }
      const staged = { commit: next, settle };
      if (urgent) waiting.unshift(staged);
      else waiting.push(staged);
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

/** An outcome, or why there is none. */
type Result = Outcome | { readonly error: unknown };

function settle({ settle }: Staged, result: Result): void {
  if (typeof result === 'string') settle(result, undefined);
  else settle(undefined, result.error);
}

/** A store refuses a whole call for one commit that it cannot hold; that one must not take the others with it. */
async function resultsOf(store: Store, items: readonly Staged[]): Promise<Result[]> {
  try {
    return await store.commit(items.map((item) => item.commit));
  } catch (error) {
    if (items.length === 1 || error instanceof StoreUnavailable) {
      return items.map(() => ({ error }));
    }
    const results: Result[] = [];
    for (const item of items) results.push(...(await resultsOf(store, [item])));
    return results;
  }
}

/** The refusal for work that would have to queue beyond its limit. */
export function overloaded(what: string): Refusal {
  return new Refusal('unavailable', `${what}; nothing was done, try again in a second`);
}
