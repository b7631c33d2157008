import {
  type Commit,
  type Committed,
  type Result,
  type Store,
  StoreUnavailable,
  Undecided,
} from '../store/port.js';
import { WeightedQueue } from './weighted-queue.js';
import type { ActorKind } from './kind.js';
import { overloaded } from './overload.js';

/** Called once with the result of a commit. */
export type Settle = (result: Committed) => void;

/** Batches the commits of different actors into few calls of the store. */
export type Committer = ReturnType<typeof createCommitter>;

/** Weight of an urgent kind in a call of the store; others have 1. */
const URGENT_WEIGHT = 3;

/** Creates a committer. Commits staged in one turn of the event loop, or while calls run, share a call. */
export function createCommitter(
  store: Store,
  options: {
    /** Maximum number of commits in one call of the store. */
    readonly batch: number;
    /** Maximum number of concurrent calls of the store. */
    readonly inFlight: number;
    /** Maximum number of commits of one kind that wait for a call. */
    readonly waiting: number;
    /** Called after each call of the store with the number of its commits and its duration, s. */
    readonly onCall?: ((commits: number, seconds: number) => void) | undefined;
  },
) {
  const waiting = new WeightedQueue<Staged>();
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
    const begun = performance.now();
    const results = await resultsOf(store, items);
    options.onCall?.(items.length, (performance.now() - begun) / 1000);
    calls -= 1;
    for (let i = 0; i < items.length; i += 1) {
      const result = results[i]!;
      if (result instanceof Undecided) void result.decided.then((later) => settle(items[i]!, later));
      else settle(items[i]!, result);
    }
    if (waiting.size > 0) flush();
  };

  const settle = ({ settle }: Staged, result: Committed): void => {
    unsettled -= 1;
    settle(result);
    if (unsettled > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };

  return {
    /** True if too many commits of a kind wait: its actors must refuse events. */
    isFull: (kind: string) => waiting.sizeOf(kind) >= options.waiting,
    /** Commits that are staged and not settled. */
    get pending() {
      return unsettled;
    },
    /**
     * Queues a commit of an actor of a kind. If more commits wait than fit into a call of the store, urgent kinds get a
     * larger share of it, and never all of it.
     */
    stage(next: Commit, settle: Settle, { name, urgent }: Pick<ActorKind, 'name' | 'urgent'>): void {
      if (closed) {
        settle(overloaded('the service is stopping'));
        return;
      }
      waiting.push(name, urgent ? URGENT_WEIGHT : 1, { commit: next, settle });
      unsettled += 1;
      schedule();
    },
    /** Refuses further commits; resolves once all that are staged are settled. */
    close(): Promise<void> {
      closed = true;
      return unsettled === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve));
    },
  };
}

interface Staged {
  readonly commit: Commit;
  readonly settle: Settle;
}

/** Commits items; if a call fails without naming the item at fault, each item is committed by itself. */
async function resultsOf(store: Store, items: readonly Staged[]): Promise<Result[]> {
  try {
    return await store.commit(items.map((item) => item.commit));
  } catch (error) {
    if (items.length === 1 || error instanceof StoreUnavailable) {
      return items.map(() => error as Error);
    }
    const results: Result[] = [];
    for (const item of items) results.push(...(await resultsOf(store, [item])));
    return results;
  }
}
