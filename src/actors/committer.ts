import { overloaded } from '../errors.js';
import {
  type Commit,
  type Committed,
  type Result,
  type Store,
  StoreUnavailable,
  Undecided,
} from '../store/port.js';
import { CallShares, type Share } from './call-shares.js';
import { WeightedQueue } from './weighted-queue.js';
import type { ActorKind } from './kind.js';

/** Called once with the result of a commit. */
export type Settle = (result: Committed) => void;

/** Batches the commits of different actors into few calls of the store. */
export type Committer = ReturnType<typeof createCommitter>;

/** Pause after a call with bulk commits, as a multiple of the duration of that call. */
const REST = 2;
/** Longest pause, ms. In bursts, calls took at most 0.96 s on a busy machine: a longer one waits for a store that is down. */
const LONGEST_REST_MS = 2_000;
/** Weight of an urgent kind in a call of the store; others have 1. */
const URGENT_WEIGHT = 3;

/**
 * Creates a committer. Commits staged in one turn of the event loop, or while calls run, share a call.
 *
 * Commits that lead to one of the `bulkStates` of a kind are bulk: nobody waits for them, and there may be thousands. One
 * call at a time has bulk commits. If more of them wait, and other commits use the store, the next call with bulk commits begins
 * after a pause of `REST` times the duration of this one, at most `LONGEST_REST_MS`. If a store takes several calls at once, bulk
 * commits have calls of their own.
 *
 * If a store takes several calls at once, kinds and tenants with many waiting commits have calls apart from those with few: see
 * `CallShares`. While `inFlight` calls run, one of them with many, one more call has commits of those with few.
 */
export function createCommitter(
  store: Store,
  options: {
    /** Maximum number of commits in one call of the store. */
    readonly batch: number;
    /** Maximum number of bulk commits in one call of the store. */
    readonly bulk: number;
    /** Maximum number of concurrent calls of the store. */
    readonly inFlight: number;
    /** Maximum number of commits of one kind that wait for a call. */
    readonly waiting: number;
    /** ms, and never set back; default: `performance.now`. */
    readonly clock?: () => number;
    /** Called after each call of the store with the number of its commits and its duration, s. */
    readonly onCall?: ((commits: number, seconds: number) => void) | undefined;
  },
) {
  const { clock = () => performance.now() } = options;
  /** True if the store takes several calls at once. */
  const isApart = options.inFlight > 1;
  const bulk = new WeightedQueue<Staged>();
  const prompt = new CallShares<Staged>(() => bulk.sizes());
  let calls = 0;
  let unsettled = 0;
  let scheduled = false;
  let closed = false;
  let whenIdle: (() => void)[] = [];
  /** True while a call with bulk commits runs. */
  let bulkRuns = false;
  /** When the next call with bulk commits may begin, by `clock`. */
  let bulkAt = 0;
  /** True if other commits were staged since the last call with bulk commits. */
  let shared = false;
  let timer: NodeJS.Timeout | undefined;

  /** True if a call may begin whose commits are of any kind and tenant. */
  const isFree = (): boolean => calls < options.inFlight + (prompt.besideRuns ? 1 : 0);

  const takeBulk = (): readonly Staged[] => {
    if (bulk.size === 0 || bulkRuns) return [];
    const rest = closed ? 0 : bulkAt - clock();
    if (rest <= 0) return bulk.take(Math.min(options.bulk, options.batch));
    timer ??= setTimeout(() => {
      timer = undefined;
      flush();
    }, rest);
    return [];
  };

  const flush = (): void => {
    scheduled = false;
    while (isFree()) {
      const some = takeBulk();
      const share =
        isApart && some.length > 0 ? undefined : prompt.next(options.batch - some.length, isApart);
      const items = share === undefined ? some : [...share.items, ...some];
      if (items.length === 0) return;
      void commit(items, share, some.length > 0);
    }
    if (!isApart) return;
    const share = prompt.nextBeside(options.batch);
    if (share.items.length > 0) void commit(share.items, share, false);
  };

  /** Called after a commit is queued. */
  const schedule = (kind: string, tenant: string): void => {
    if (scheduled || (!isFree() && !(isApart && prompt.fitsBeside(kind, tenant)))) return;
    scheduled = true;
    setImmediate(flush);
  };

  const commit = async (items: readonly Staged[], share: Share<Staged> | undefined, hasBulk: boolean) => {
    calls += 1;
    if (share !== undefined) prompt.begin(share);
    /** True if more bulk commits wait than a call takes. */
    const isBurst = bulk.size > 0;
    if (hasBulk) bulkRuns = true;
    const begun = clock();
    const results = await resultsOf(store, items);
    const ended = clock();
    options.onCall?.(items.length, (ended - begun) / 1000);
    if (hasBulk) {
      bulkRuns = false;
      bulkAt = isBurst && shared ? ended + Math.min(REST * (ended - begun), LONGEST_REST_MS) : ended;
      shared = false;
    }
    calls -= 1;
    if (share !== undefined) prompt.end(share);
    for (let i = 0; i < items.length; i += 1) {
      const result = results[i]!;
      if (result instanceof Undecided) void result.decided.then((later) => settle(items[i]!, later));
      else settle(items[i]!, result);
    }
    if (prompt.size + bulk.size > 0) flush();
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
    isFull: (kind: string) => prompt.sizeOf(kind) + bulk.sizeOf(kind) >= options.waiting,
    /** Commits that are staged and not settled. */
    get pending() {
      return unsettled;
    },
    /**
     * Queues a commit of an actor of a tenant and kind. If more commits wait than fit into a call of the store, tenants and
     * kinds share it; urgent kinds get a larger share, and never all of it.
     */
    stage(
      next: Commit,
      settle: Settle,
      tenant: string,
      kind: Pick<ActorKind, 'name' | 'urgent' | 'bulkStates'>,
    ): void {
      if (closed) {
        settle(overloaded('the service is stopping'));
        return;
      }
      const isBulk = next.next !== undefined && kind.bulkStates?.includes(next.next.state) === true;
      if (!isBulk) shared = true;
      const weight = kind.urgent ? URGENT_WEIGHT : 1;
      (isBulk ? bulk : prompt).push(kind.name, tenant, weight, { commit: next, settle });
      unsettled += 1;
      schedule(kind.name, tenant);
    },
    /** Refuses further commits; resolves once all that are staged are settled. */
    close(): Promise<void> {
      closed = true;
      if (unsettled === 0) return Promise.resolve();
      // No other commit follows, so bulk commits need no pause.
      clearTimeout(timer);
      if (isFree()) flush();
      return new Promise((resolve) => whenIdle.push(resolve));
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
