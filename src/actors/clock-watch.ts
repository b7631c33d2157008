import { Refusal } from '../errors.js';
import { type Store, StoreUnavailable } from '../store/port.js';
import { pages } from '../store/paging.js';
import { inBatches } from '../system/in-batches.js';
import { settledInTime } from '../system/in-time.js';
import type { ActorKind } from './kind.js';
import { isAhead } from './clock-set-back.js';

/** How often the time is kept in the store while there are commits, ms. */
const KEEP_MS = 60_000;
/** Maximum time for which a stop waits until the time is kept, ms. */
const KEEP_PATIENCE_MS = 500;
/** A clock that is behind the kept time by no more was not set back, ms: another node may have kept it. */
const APART_MS = 10_000;
/** Documents in one page of a listing. */
const PAGE = 500;
/** Actors that are woken at once. */
const AT_ONCE = 32;

/** Notices that the clock was set back, and then has the actors count their times anew. */
export function watchClock(options: {
  readonly store: Pick<Store, 'outline' | 'keptTime' | 'keepTime'>;
  /** The kinds of actors that are woken. */
  readonly kinds: readonly Pick<ActorKind, 'name' | 'keepsTime'>[];
  /** ms since the epoch. */
  now(): number;
  /** Wakes an actor; resolves once that is durable. */
  wake(id: string): Promise<unknown>;
  /** Returns the number of commits of this node so far. */
  commits(): number;
  onError(error: unknown): void;
}) {
  const { store } = options;
  let newest = -Infinity;
  /** False until the clock was compared with the kept time. */
  let isCompared = false;
  let isSetBack = false;
  let keptAt = -Infinity;
  let commitsThen = 0;
  let running: Promise<void> | undefined;
  let closed = false;

  /** Wakes some actors at once. Resolves with why one of them cannot be woken now. */
  const wakeSome = async (ids: readonly string[]): Promise<Error | undefined> => {
    const woken = await Promise.allSettled(ids.map((id) => options.wake(id)));
    const failed = woken.find((one) => one.status === 'rejected' && isPassing(one.reason));
    return (failed as PromiseRejectedResult | undefined)?.reason as Error | undefined;
  };

  /**
   * Wakes the actors that planned a wake-up for later than now, as a plan of the time before would come far too late, and those
   * that keep other times. Rejects if some cannot be woken now.
   */
  const wakeAll = async (): Promise<void> => {
    let failure: Error | undefined;
    for (const { name: kind, keepsTime = false } of options.kinds) {
      for await (const page of pages((after) => store.outline({ kind, after, limit: PAGE }))) {
        const late = page.filter(({ wakeAt = 0 }) => keepsTime || wakeAt > options.now());
        for await (const some of inBatches(late, AT_ONCE)) {
          if (closed) {
            isSetBack = true;
            return;
          }
          failure = (await wakeSome(some.map(({ id }) => id))) ?? failure;
        }
      }
    }
    if (failure !== undefined) throw failure;
  };

  const keep = async (): Promise<void> => {
    const [at, commits] = [options.now(), options.commits()];
    await store.keepTime(at);
    keptAt = at;
    commitsThen = commits;
  };

  const check = async (): Promise<void> => {
    if (!isCompared) {
      const at = await store.keptTime();
      isCompared = true;
      if (at !== undefined && at > options.now() + APART_MS) isSetBack = true;
    }
    if (isSetBack) {
      isSetBack = false;
      try {
        await wakeAll();
      } catch (error) {
        isSetBack = true;
        throw error;
      }
      // Not before: a node that stops meanwhile notices it again at its next start.
      if (!closed && !isSetBack) await keep();
    } else if (options.commits() !== commitsThen && Math.abs(options.now() - keptAt) >= KEEP_MS) {
      await keep();
    }
  };

  return {
    /** Compares the clock with the time of the last call, at the first one with the time that is kept in the store. */
    tick(): void {
      const at = options.now();
      if (isAhead(newest, at)) isSetBack = true;
      newest = at;
      if (running !== undefined || closed) return;
      if (isCompared && !isSetBack && options.commits() === commitsThen) return;
      running = check()
        .catch((error: unknown) => options.onError(error))
        .finally(() => (running = undefined));
    },
    /** Keeps the time; resolves once nothing runs any more. */
    async close(): Promise<void> {
      closed = true;
      await running;
      if (!isCompared || isSetBack || options.commits() === commitsThen) return;
      // A store that is down must not hold up the stop.
      await settledInTime(keep(), KEEP_PATIENCE_MS);
    },
  };
}

/** False for an actor that fails with any event. */
function isPassing(error: unknown): boolean {
  return error instanceof StoreUnavailable || (error instanceof Refusal && error.code === 'unavailable');
}
