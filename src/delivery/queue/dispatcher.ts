import { Unreadable } from '../../actors/behavior.js';
import { isAhead } from '../../actors/clock-set-back.js';
import type { Store } from '../../store/port.js';
import { createQueueScan, type Excluded } from './queue-scan.js';
import { createSchedule } from './schedule.js';
import { add, createPermits, ownerOf, type PermitLimits, type PermitOwner } from './permits.js';

/** Gives permits to deliveries. A delivery that waits for a permit costs nothing. */
export type Dispatcher = ReturnType<typeof createDispatcher>;

/** How often permits are given to queues that have become due, ms. */
const TICK_MS = 250;
/**
 * The walk over all queues of the store: `queues` at a time, `firstMs` apart for the first walk, then `everyMs` apart
 * and at least `rest` times the duration of the last page, but at most `maxMs`: a page that an outage held up is no
 * measure of the store, and only the walk finds a delivery whose commit had no answer.
 */
const WALK = { queues: 100, firstMs: 25, everyMs: 1_000, rest: 50, maxMs: 10_000 };
/** Time after the start in which waiting deliveries are tried before they are due, once each, ms. */
const EARLY_MS = 8_000;
/** How long a delivery is skipped that made no attempt in its permit, or that cannot be read, ms. */
const SKIP_MS = { ignored: 1_000, unreadable: 60_000 };
/** Maximum number of deliveries of a queue that are skipped. */
const SKIPPED_MAX = 2_000;

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
  let schedule = createSchedule(permits, earlyUntil);
  const scan = createQueueScan(store, () => clock.random());
  const reserved = new Map<string, PermitOwner>();
  /** By queue: the deliveries to skip, with the end of that, ms since the epoch; Infinity while it is given a permit. */
  const skipped = new Map<string, Map<string, number>>();
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
  let sweepAt = 0;
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

  const skip = (queue: string, id: string, until: number): void => {
    const ids = skipped.get(queue) ?? new Map<string, number>();
    skipped.set(queue, ids);
    if (ids.size < SKIPPED_MAX || until === Infinity || ids.has(id)) ids.set(id, until);
  };

  /** The deliveries of a queue to skip now, and when the first of them is no longer skipped, ms since the epoch. */
  const skippedOf = (queue: string, now: number): { readonly excluded: Excluded; readonly until: number } => {
    const ids = skipped.get(queue) ?? new Map<string, number>();
    let earliest = Infinity;
    for (const [id, until] of ids) {
      if (until <= now) ids.delete(id);
      else earliest = Math.min(earliest, until);
    }
    if (ids.size === 0) skipped.delete(queue);
    return { excluded: ids, until: earliest };
  };

  const releasePermits = (owner: PermitOwner, count = 1): void => {
    const forAnybody = permits.full;
    for (let i = 0; i < count; i += 1) permits.release(owner);
    givePermits(owner, forAnybody);
  };

  /** Releases a reserved permit that no attempt has claimed. */
  const release = (id: string): void => {
    const owner = reserved.get(id);
    if (reserved.delete(id)) releasePermits(owner!);
  };

  const givePermits = (released?: PermitOwner, forAnybody?: boolean): void => {
    if (!started || closed || failing) return;
    for (const [queue, count] of schedule.acquire(clock.now(), released, forAnybody)) {
      const before = unassigned.get(queue);
      unassigned.set(queue, (before ?? 0) + count);
      if (before === undefined) run(serve(queue));
    }
  };

  const serve = async (queue: string): Promise<void> => {
    // One scan serves the permits that become free in the same turn of the event loop.
    await new Promise(setImmediate);
    for (;;) {
      const count = unassigned.get(queue) ?? 0;
      if (count === 0) break;
      unassigned.set(queue, 0);
      const assigned = await assign(queue, count);
      if (assigned < count) releasePermits(ownerOf(queue), count - assigned);
    }
    unassigned.delete(queue);
  };

  /** Assigns that many permits to deliveries of a queue; returns the number of permits that were used. */
  const assign = async (queue: string, count: number): Promise<number> => {
    const now = clock.now();
    const { excluded, until } = skippedOf(queue, now);
    try {
      const { ids, next, exhausted } = await scan.find(queue, count, excluded, now, now < earlyUntil);
      schedule.learn(queue, Math.min(next, until), now, exhausted);
      for (const id of ids) run(serveOne(id, queue));
      return ids.length;
    } catch (error) {
      failed(error);
      return 0;
    }
  };

  const serveOne = async (id: string, queue: string): Promise<void> => {
    if (reserved.has(id)) {
      // The delivery is dispatched again, with a permit of its own.
      skip(queue, id, clock.now() + SKIP_MS.ignored);
      releasePermits(ownerOf(queue));
      return;
    }
    reserved.set(id, ownerOf(queue));
    skip(queue, id, Infinity);
    try {
      await permit(id);
      // A permit that is still reserved was not claimed: another node was faster.
      skip(queue, id, clock.now() + (reserved.has(id) ? SKIP_MS.ignored : 0));
      release(id);
    } catch (error) {
      skip(queue, id, clock.now() + SKIP_MS[error instanceof Unreadable ? 'unreadable' : 'ignored']);
      // The next tick gives the permit again, not this moment: the next delivery may fail as well.
      if (reserved.delete(id)) permits.release(ownerOf(queue));
    }
  };

  /** A delivery of the queue will be due at `at`, ms since the epoch. */
  const expect = (queue: string, at: number): void => {
    schedule.expect(queue, at);
    const now = clock.now();
    if (at <= now && !schedule.isHeld(queue, now) && permits.fits(ownerOf(queue))) givePermits();
  };

  const walk = async (now: number): Promise<void> => {
    // Not by the clock: one that is set forward meanwhile would put off the next walk for long.
    const begun = performance.now();
    const heads = await store.queues(after, WALK.queues);
    const tookMs = performance.now() - begun;
    failing = false;
    for (const { queue, wakeAt } of heads) schedule.expect(queue, wakeAt);
    after = heads.length < WALK.queues ? undefined : heads.at(-1)!.queue;
    first &&= after !== undefined;
    const pauseMs = Math.min(WALK.maxMs, Math.max(WALK.everyMs, WALK.rest * tookMs));
    walkAt = now + (first ? WALK.firstMs : pauseMs);
  };

  /** Drops what is skipped in queues that are never scanned again. */
  const sweep = (now: number): void => {
    sweepAt = now + WALK.everyMs;
    for (const queue of skipped.keys()) if (!unassigned.has(queue)) skippedOf(queue, now);
  };

  /** The clock was set back: what is known of times is from its future. The walk reads again when the queues are due. */
  const startAgain = (now: number): void => {
    earlyUntil = newest < earlyUntil ? now + EARLY_MS : 0;
    schedule = createSchedule(permits, earlyUntil);
    for (const ids of skipped.values()) {
      for (const [id, until] of ids) if (until !== Infinity) ids.delete(id);
    }
    after = undefined;
    first = true;
    walkAt = now;
    sweepAt = now;
  };

  const tick = (): void => {
    const now = clock.now();
    if (isAhead(newest, now)) startAgain(now);
    newest = now;
    if (now >= earlyUntil) scan.clear();
    if (now >= sweepAt) sweep(now);
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
     * Reserves a permit for a delivery that was never tried. Returns false if no permit is free for it, or if other deliveries
     * of its queue are due: it has to wait in the queue.
     */
    reserve(id: string, queue: string): boolean {
      const owner = ownerOf(queue);
      const now = clock.now();
      if (reserved.has(id) || entering.has(queue)) return false;
      if (schedule.isDue(queue, now) || schedule.isHeld(queue, now)) return false;
      if (!permits.fits(owner)) return false;
      permits.acquire(owner);
      reserved.set(id, owner);
      return true;
    },
    release,
    /**
     * Claims the permit for an attempt: the reserved one, else a free one. Returns the function that releases it, to be called
     * at the end of the attempt; undefined if no permit is free.
     */
    claim(id: string, queue: string): (() => void) | undefined {
      const owner = reserved.get(id) ?? ownerOf(queue);
      if (!reserved.delete(id)) {
        if (!permits.fits(owner)) return undefined;
        permits.acquire(owner);
      }
      if (clock.now() < earlyUntil) scan.tried(queue, id);
      return () => releasePermits(owner);
    },
    expect,
    /**
     * A delivery begins to wait in the queue, and is due at `at`, ms since the epoch: no newer one gets a permit before it. Returns
     * the function to call once that is durable, or may be.
     */
    enter(queue: string, at: number): () => void {
      add(entering, queue, 1);
      return () => {
        add(entering, queue, -1);
        expect(queue, at);
      };
    },
    /**
     * An attempt of the queue has ended. `next`: when it is due again, ms since the epoch; undefined for a final answer.
     * Called before the permit is released.
     */
    ended(queue: string, next: number | undefined): void {
      permits.ended(ownerOf(queue), next === undefined);
      if (next === undefined) schedule.answered(queue);
      else schedule.failed(queue, next, clock.now());
    },
    /** Stops taking deliveries from the store. Attempts in flight go on. */
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Resolves when a delivery may begin to wait, with the function to call once that is durable. */
export type Turn = () => Promise<() => void>;

/**
 * Has a delivery begin: at once if it gets a permit, else in its queue. `ask` sends the event that begins it; its `until` is
 * undefined with a permit, else the time from which the delivery waits for one, ms since the epoch. With `turn`, one without
 * a permit first takes a turn.
 */
export async function begin<R>(
  dispatcher: Pick<Dispatcher, 'reserve' | 'release' | 'enter'>,
  now: () => number,
  { id, queue }: { readonly id: string; readonly queue: string },
  ask: (until: number | undefined) => Promise<R>,
  turn?: Turn,
): Promise<R> {
  const withPermit = (): Promise<R> => ask(undefined).finally(() => dispatcher.release(id));
  if (dispatcher.reserve(id, queue)) return withPermit();
  const end = await turn?.();
  if (end !== undefined && dispatcher.reserve(id, queue)) {
    end();
    return withPermit();
  }
  const until = now();
  const entered = dispatcher.enter(queue, until);
  // Also after a commit without an answer: the delivery may wait, and its repetition changes nothing.
  return ask(until).finally(() => {
    entered();
    end?.();
  });
}
