import { Unreadable } from '../../actors/behavior.js';
import { isAhead } from '../../actors/clock-set-back.js';
import type { Store } from '../../store/port.js';
import { createQueueScan } from './queue-scan.js';
import { createSchedule } from './schedule.js';
import { add, createPermits, ownerOf, type PermitLimits, type PermitOwner } from './permits.js';

/** Gives permits to deliveries. A delivery that waits for a permit costs nothing. */
export type Dispatcher = ReturnType<typeof createDispatcher>;

/** How often permits are given to queues that have become due, ms. */
const TICK_MS = 250;
/**
 * The walk reads all queues of the store, page by page: `queues` in a page, `firstMs` between two pages of the first walk. The
 * later pause is `everyMs`, or `rest` times the duration of the last page if that is longer, and at most `maxMs`: an outage can
 * delay a page, and only the walk finds a delivery whose commit had no answer.
 */
const WALK = { queues: 100, firstMs: 25, everyMs: 1_000, rest: 50, maxMs: 10_000 };
/** Time after the start in which each waiting delivery is tried once before it is due, ms. */
const EARLY_MS = 8_000;
/** How long a delivery is skipped that made no attempt in its permit, or that cannot be read, ms. */
const SKIP_MS = { ignored: 1_000, unreadable: 60_000 };
/** Maximum number of deliveries of a queue that are skipped. */
const SKIPPED_MAX = 2_000;

/** Acquires the permit to begin to wait. Resolves with the function that releases it, to be called once the wait is durable. */
export type AcquireEntry = () => Promise<() => void>;

/** A delivery, and the queue that it is in if it waits. */
export interface Place {
  readonly id: string;
  readonly queue: string;
}

/** Returns the dispatcher of one node. */
export function createDispatcher(options: {
  readonly store: Pick<Store, 'queues' | 'queued' | 'shared'>;
  readonly clock: { now(): number; random(): number };
  readonly limits: PermitLimits;
  /** Gives a waiting delivery its permit; resolves when that is durable and its attempt has begun. */
  readonly permit: (id: string) => Promise<unknown>;
  /** Called once when the store begins to fail. */
  readonly onError: (error: unknown) => void;
}) {
  const { store, clock, limits, permit, onError } = options;
  let earlyUntil = clock.now() + EARLY_MS;
  const permits = createPermits(limits);
  let schedule = createSchedule(permits);
  const scan = createQueueScan(store, () => clock.random());
  /** By queue: the deliveries to skip, each with the time until which it is skipped, ms since the epoch; Infinity: it has a reserved permit. */
  const skipped = new Map<string, Map<string, number>>();
  /** Deliveries that a scan found and left out, as they have a reserved permit. */
  const leftOut = new Set<string>();
  /** By queue: the number of deliveries that begin to wait in it, and may not be in the store yet. */
  const entering = new Map<string, number>();
  /** By queue: permits that were given and have no delivery yet. */
  const unassigned = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let started = false;
  let closed = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  /** The last queue of the walk's last page, when the next page is due, and whether it is the first walk. */
  let after: string | undefined;
  let walkAt = 0;
  let first = true;
  /** The time of the last tick. */
  let newest = -Infinity;

  const run = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };

  /** No permit is given until the store answers again. */
  const failed = (error: unknown): void => {
    if (!failing && !closed) onError(error);
    failing = true;
    walkAt = clock.now() + WALK.everyMs;
  };

  const skip = ({ id, queue }: Place, until: number): void => {
    const ids = skipped.get(queue) ?? new Map<string, number>();
    skipped.set(queue, ids);
    if (ids.size < SKIPPED_MAX || until === Infinity || ids.has(id)) ids.set(id, until);
  };

  /** Forgets the skipped deliveries of a queue whose time is over. Returns the earliest time of the others, ms since the epoch; Infinity: none is left. */
  const unskip = (queue: string, now: number): number => {
    const ids = skipped.get(queue) ?? new Map<string, number>();
    for (const [id, until] of ids) if (until <= now) ids.delete(id);
    if (ids.size === 0) skipped.delete(queue);
    return Math.min(...ids.values());
  };

  const isReserved = ({ id, queue }: Place): boolean => skipped.get(queue)?.get(id) === Infinity;

  /** Takes the reserved permit from a delivery; false if it has none. */
  const unreserve = (place: Place): boolean => {
    leftOut.delete(place.id);
    return isReserved(place) && skipped.get(place.queue)!.delete(place.id);
  };

  const releasePermits = (queue: string, count = 1): void => {
    const owner = ownerOf(queue);
    const forAnybody = permits.full;
    for (let i = 0; i < count; i += 1) permits.release(owner);
    givePermits(owner, forAnybody);
  };

  const givePermits = (released?: PermitOwner, forAnybody?: boolean): void => {
    if (!started || closed || failing) return;
    for (const [queue, count] of schedule.acquire(clock.now(), released, forAnybody)) {
      if (!unassigned.has(queue)) run(serve(queue));
      add(unassigned, queue, count);
    }
  };

  const serve = async (queue: string): Promise<void> => {
    // One scan serves the permits that become free in the same turn of the event loop.
    await new Promise(setImmediate);
    for (let count = unassigned.get(queue)!; count > 0; count = unassigned.get(queue)!) {
      unassigned.set(queue, 0);
      const assigned = await assign(queue, count);
      if (assigned < count) releasePermits(queue, count - assigned);
    }
    unassigned.delete(queue);
  };

  /** Assigns that many permits to deliveries of a queue; returns the number of permits that were used. */
  const assign = async (queue: string, count: number): Promise<number> => {
    const now = clock.now();
    const until = unskip(queue, now);
    const excluded = {
      has(id: string): boolean {
        const skippedUntil = skipped.get(queue)?.get(id);
        if (skippedUntil === Infinity) leftOut.add(id);
        return skippedUntil !== undefined;
      },
      size: skipped.get(queue)?.size ?? 0,
    };
    try {
      const { ids, next } = await scan.find(queue, count, excluded, now, now < earlyUntil);
      schedule.learn(queue, Math.min(next, until), now);
      // A delivery may have been dispatched again during the scan, with a permit of its own.
      const assigned = ids.filter((id) => !excluded.has(id));
      for (const id of assigned) run(serveOne({ id, queue }));
      return assigned.length;
    } catch (error) {
      failed(error);
      return 0;
    }
  };

  const serveOne = async (place: Place): Promise<void> => {
    skip(place, Infinity);
    try {
      await permit(place.id);
      // A permit that is still reserved was not claimed: another node was faster.
      if (!unreserve(place)) return;
      skip(place, clock.now() + SKIP_MS.ignored);
      releasePermits(place.queue);
    } catch (error) {
      // The next tick gives the permit again, and not this call: the next delivery may fail as well.
      if (unreserve(place)) permits.release(ownerOf(place.queue));
      skip(place, clock.now() + SKIP_MS[error instanceof Unreadable ? 'unreadable' : 'ignored']);
    }
  };

  /**
   * Reserves a permit for a delivery that was never tried. Returns false if no permit is free for it, or if other deliveries
   * of its queue are due: it has to wait in the queue.
   */
  const reserve = (place: Place): boolean => {
    const { queue } = place;
    const owner = ownerOf(queue);
    const now = clock.now();
    if (isReserved(place) || entering.has(queue) || schedule.isDue(queue, now)) return false;
    if (!permits.fits(owner, now)) return false;
    permits.acquire(owner, now);
    skip(place, Infinity);
    return true;
  };

  /** A delivery of the queue will be due at `at`, ms since the epoch. */
  const expect = (queue: string, at: number): void => {
    schedule.expect(queue, at);
    const now = clock.now();
    if (at <= now && permits.fits(ownerOf(queue), now)) givePermits();
  };

  const walk = async (now: number): Promise<void> => {
    for (const queue of skipped.keys()) unskip(queue, now);
    // Not by the clock: if it is set forward meanwhile, the next walk would come late.
    const begun = performance.now();
    const heads = await store.queues(after, WALK.queues);
    const tookMs = performance.now() - begun;
    failing = false;
    for (const { queue, wakeAt } of heads)
      schedule.expect(queue, now < earlyUntil ? Math.min(wakeAt, now) : wakeAt);
    after = heads.length < WALK.queues ? undefined : heads.at(-1)!.queue;
    first &&= after !== undefined;
    const pauseMs = Math.min(WALK.maxMs, Math.max(WALK.everyMs, WALK.rest * tookMs));
    walkAt = now + (first ? WALK.firstMs : pauseMs);
  };

  /** The clock was set back: the known times are in the future. The walk reads again when the queues are due. */
  const startAgain = (now: number): void => {
    earlyUntil = newest < earlyUntil ? now + EARLY_MS : 0;
    schedule = createSchedule(permits);
    for (const ids of skipped.values()) {
      for (const [id, until] of ids) if (until !== Infinity) ids.delete(id);
    }
    after = undefined;
    first = true;
    walkAt = now;
  };

  const tick = (): void => {
    const now = clock.now();
    if (isAhead(newest, now)) startAgain(now);
    newest = now;
    if (now >= earlyUntil) scan.clear();
    const work = now >= walkAt ? walk(now).catch(failed) : Promise.resolve();
    run(
      work.then(() => {
        givePermits();
        if (!closed) timer = setTimeout(tick, first ? WALK.firstMs : TICK_MS).unref();
      }),
    );
  };

  return {
    /** Starts to search waiting deliveries in the store. Until then only new deliveries get permits. */
    start(): void {
      started = true;
      tick();
    },
    /**
     * Begins a delivery: at once if it gets a permit, else in its queue. `ask` sends the event that begins it; its `until` is
     * undefined with a permit, else the time from which the delivery waits for one, ms since the epoch: no newer one of the queue
     * gets a permit before it. With `acquireEntry`, a delivery without a permit first acquires the one to begin to wait.
     */
    async begin<R>(
      place: Place,
      ask: (until: number | undefined) => Promise<R>,
      acquireEntry?: AcquireEntry,
    ): Promise<R> {
      let isPermitted = reserve(place);
      const releaseEntry = isPermitted ? undefined : await acquireEntry?.();
      if (releaseEntry !== undefined) isPermitted = reserve(place);
      if (isPermitted) {
        releaseEntry?.();
        return ask(undefined).finally(() => {
          const isLeftOut = leftOut.has(place.id);
          if (!unreserve(place)) return;
          // It waited before, and may be due.
          if (isLeftOut) schedule.expect(place.queue, clock.now());
          releasePermits(place.queue);
        });
      }
      const until = clock.now();
      add(entering, place.queue, 1);
      // Also after a commit without an answer: the delivery may wait, and its repetition changes nothing.
      return ask(until).finally(() => {
        add(entering, place.queue, -1);
        expect(place.queue, until);
        releaseEntry?.();
      });
    },
    /**
     * Claims the permit for an attempt: the reserved one, else a free one. Returns the function that releases it, to be called
     * at the end of the attempt; undefined if no permit is free.
     */
    claim(place: Place): (() => void) | undefined {
      const owner = ownerOf(place.queue);
      if (!unreserve(place)) {
        if (!permits.isFree(owner)) return undefined;
        permits.acquire(owner, clock.now());
      }
      return () => releasePermits(place.queue);
    },
    expect,
    /**
     * An attempt has ended. `next`: when it is due again, ms since the epoch; undefined for a final answer. Called before the
     * permit is released.
     */
    ended({ id, queue }: Place, next: number | undefined): void {
      const now = clock.now();
      permits.ended(ownerOf(queue), next === undefined, now);
      if (next === undefined) return;
      schedule.expect(queue, next);
      if (now < earlyUntil) scan.tried(queue, id);
    },
    /** Stops taking deliveries from the store. Attempts in flight go on. */
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      while (running.size > 0) await Promise.all(running);
    },
  };
}
