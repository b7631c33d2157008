import { Unreadable } from '../../actors/behavior.js';
import type { Store } from '../../store/port.js';
import { createLooking } from './looking.js';
import type { Taken } from './looking.js';
import { ownerOf } from './queue.js';
import { createSchedule } from './schedule.js';
import { createSlots } from './slots.js';
import type { SlotLimits, SlotOwner } from './slots.js';

/** Gives slots to deliveries, so that what waits for one costs nothing until it is its turn. */
export interface Dispatcher {
  /** Begins to look for what waits in the store; before, slots go to what is new only. */
  start(): void;
  /**
   * Reserves a slot for a delivery that nobody has tried yet. False where none is free for it, or others of its queue
   * are due: then it has to wait in the queue.
   */
  reserve(id: string, queue: string): boolean;
  /** Gives a slot back that was reserved and that no attempt has claimed. */
  release(id: string): void;
  /** The slot for an attempt that begins: the reserved one, else a free one. Call the result when it has ended. */
  claim(id: string, queue: string): (() => void) | undefined;
  /** A delivery will wait in the queue until that time, ms since the epoch. */
  expect(queue: string, at: number): void;
  /** An attempt of the queue has ended: it is due again at `next`, or answered for good. Before its slot is free. */
  ended(queue: string, next: number | undefined): void;
  /** Takes nothing more from the store. Attempts under way go on. */
  close(): Promise<void>;
}

export interface DispatcherOptions {
  readonly store: Pick<Store, 'queues' | 'queued' | 'shared'>;
  readonly clock: { now(): number; random(): number };
  readonly limits: SlotLimits;
  /** Tells a delivery that it is its turn; resolves when that is durable, its attempt being under way. */
  readonly turn: (id: string) => Promise<unknown>;
  /** Told once when the store begins to fail. */
  readonly onError: (error: unknown) => void;
}

/** How often the queues that are known are looked through for those that have become due, ms. */
const TICK_MS = 250;
/**
 * How many queues one look at the store finds, and how long after it the next one comes, ms: at least so many times as long
 * as the store took.
 */
const WALK = { queues: 100, firstMs: 25, everyMs: 1_000, rest: 50 };
/** For how long after the start what waits is tried ahead of its time, ms. */
const AHEAD_MS = 8_000;
/** For how long a delivery is left alone that did not take its turn, and one that cannot be read, ms. */
const LEFT_ALONE_MS = { ignored: 1_000, unreadable: 60_000 };
/** Most deliveries of a queue that are left alone. */
const LEFT_ALONE = 2_000;

/** Makes the dispatcher of one node. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, clock, limits, turn, onError } = options;
  const aheadUntil = clock.now() + AHEAD_MS;
  const slots = createSlots(limits);
  const schedule = createSchedule(slots, aheadUntil);
  const looking = createLooking(store, () => clock.random());
  const reserved = new Map<string, SlotOwner>();
  /** By queue: deliveries that are not to be taken, and until when; Infinity while their turn is being told. */
  const alone = new Map<string, Map<string, number>>();
  /** By queue: slots that were granted and that no delivery has been found for yet. */
  const wanted = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let started = false;
  let closed = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  /** The queue that the walk over all queues has come to, when it goes on, and whether it is the first one. */
  let after: string | undefined;
  let walkAt = 0;
  let sweepAt = 0;
  let first = true;

  const run = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };

  /** Nothing is looked for until the store answers again. */
  const failed = (error: unknown): void => {
    if (!failing && !closed) onError(error);
    failing = true;
    walkAt = clock.now() + WALK.everyMs;
  };

  const leaveAlone = (queue: string, id: string, until: number): void => {
    const ids = alone.get(queue) ?? new Map<string, number>();
    alone.set(queue, ids);
    if (ids.size < LEFT_ALONE || until === Infinity || ids.has(id)) ids.set(id, until);
  };

  /** Those to be left alone now, and when the first of them is to be looked at again. */
  const takenOf = (queue: string, now: number): { readonly taken: Taken; readonly again: number } => {
    const ids = alone.get(queue) ?? new Map<string, number>();
    let again = Infinity;
    for (const [id, until] of ids) {
      if (until <= now) ids.delete(id);
      else again = Math.min(again, until);
    }
    if (ids.size === 0) alone.delete(queue);
    return { taken: ids, again };
  };

  const free = (owner: SlotOwner, count = 1): void => {
    const forAnybody = slots.full;
    for (let i = 0; i < count; i += 1) slots.free(owner);
    pump(owner, forAnybody);
  };

  const release = (id: string): void => {
    const owner = reserved.get(id);
    if (reserved.delete(id)) free(owner!);
  };

  const pump = (released?: SlotOwner, forAnybody?: boolean): void => {
    if (!started || closed || failing) return;
    for (const [queue, count] of schedule.grant(clock.now(), released, forAnybody)) {
      const before = wanted.get(queue);
      wanted.set(queue, (before ?? 0) + count);
      if (before === undefined) run(serve(queue));
    }
  };

  const serve = async (queue: string): Promise<void> => {
    // Slots that become free in the same moment are served by one look.
    await new Promise(setImmediate);
    for (;;) {
      const count = wanted.get(queue) ?? 0;
      if (count === 0) break;
      wanted.set(queue, 0);
      const begun = await begin(queue, count);
      if (begun < count) free(ownerOf(queue), count - begun);
    }
    wanted.delete(queue);
  };

  /** Has deliveries of a queue take that many slots; gives how many did. */
  const begin = async (queue: string, count: number): Promise<number> => {
    const now = clock.now();
    const { taken, again } = takenOf(queue, now);
    try {
      const { ids, next, through } = await looking.look(queue, count, taken, now, now < aheadUntil);
      schedule.learn(queue, Math.min(next, again), now, through);
      for (const id of ids) run(tell(id, queue));
      return ids.length;
    } catch (error) {
      failed(error);
      return 0;
    }
  };

  const tell = async (id: string, queue: string): Promise<void> => {
    if (reserved.has(id)) {
      // It is being handed over once more, with a slot of its own.
      leaveAlone(queue, id, clock.now() + LEFT_ALONE_MS.ignored);
      free(ownerOf(queue));
      return;
    }
    reserved.set(id, ownerOf(queue));
    leaveAlone(queue, id, Infinity);
    try {
      await turn(id);
      // Where no attempt has claimed the slot, another node came first.
      leaveAlone(queue, id, clock.now() + (reserved.has(id) ? LEFT_ALONE_MS.ignored : 0));
      release(id);
    } catch (error) {
      const untold = error instanceof Unreadable ? LEFT_ALONE_MS.unreadable : LEFT_ALONE_MS.ignored;
      leaveAlone(queue, id, clock.now() + untold);
      // The slot is given to others with the next tick: they may fail as well, one after the other.
      if (reserved.delete(id)) slots.free(ownerOf(queue));
    }
  };

  const walk = async (now: number): Promise<void> => {
    const heads = await store.queues(after, WALK.queues);
    const tookMs = clock.now() - now;
    failing = false;
    for (const { queue, wakeAt } of heads) schedule.expect(queue, wakeAt);
    after = heads.length < WALK.queues ? undefined : heads.at(-1)!.queue;
    first &&= after !== undefined;
    walkAt = now + (first ? WALK.firstMs : Math.max(WALK.everyMs, WALK.rest * tookMs));
  };

  /** Of a queue that is never looked at again nothing must stay. */
  const sweep = (now: number): void => {
    sweepAt = now + WALK.everyMs;
    for (const queue of alone.keys()) if (!wanted.has(queue)) takenOf(queue, now);
  };

  const tick = (): void => {
    const now = clock.now();
    if (now >= aheadUntil) looking.forgetAhead();
    if (now >= sweepAt) sweep(now);
    const work = now >= walkAt ? walk(now).catch(failed) : Promise.resolve();
    run(
      work.then(() => {
        pump();
        if (!closed) timer = setTimeout(tick, first ? WALK.firstMs : TICK_MS).unref();
      }),
    );
  };

  return {
    start() {
      started = true;
      tick();
    },
    reserve(id, queue) {
      const owner = ownerOf(queue);
      const now = clock.now();
      if (reserved.has(id) || schedule.isDue(queue, now) || schedule.isHeld(queue, now)) return false;
      if (!slots.fits(owner)) return false;
      slots.take(owner);
      reserved.set(id, owner);
      return true;
    },
    release,
    claim(id, queue) {
      const owner = reserved.get(id) ?? ownerOf(queue);
      if (!reserved.delete(id)) {
        if (!slots.fits(owner)) return undefined;
        slots.take(owner);
      }
      if (clock.now() < aheadUntil) looking.tried(queue, id);
      return () => free(owner);
    },
    expect(queue, at) {
      schedule.expect(queue, at);
      const now = clock.now();
      if (at <= now && !schedule.isHeld(queue, now) && slots.fits(ownerOf(queue))) pump();
    },
    ended(queue, next) {
      if (next === undefined) schedule.answered(queue);
      else schedule.failed(queue, next, clock.now());
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      while (running.size > 0) await Promise.all(running);
    },
  };
}
