import type { Store } from '../store/port.js';
import { Unreadable } from './behavior.js';

/** Maximum number of actors that one sweep wakes at once. */
const PAGE = 200;
/** Maximum number of documents that are skipped. */
const SKIPPED = 10_000;

/** Wakes the actors whose wake-up is due, whichever node committed it. */
export function startSweep(options: {
  readonly store: Store;
  now(): number;
  /** Interval of the sweeps, ms. */
  readonly everyMs: number;
  /** False for documents of kinds that this node does not have. */
  handles(id: string): boolean;
  /** How long a document that this node cannot handle or read is skipped, ms. */
  readonly skipMs: number;
  /** Wakes an actor; resolves once that is durable. */
  wake(id: string): Promise<unknown>;
  onError(error: unknown): void;
  /** How far ahead of time the first sweep wakes actors, ms. */
  readonly headStartMs: number;
  /** Called at the start of each sweep. */
  onSweep(): void;
}) {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /** Documents that this node cannot use, and until when they are skipped: they must not fill every page. */
  const skipped = new Map<string, number>();

  /** Returns true if the next sweep does not find the actor. */
  const skip = (id: string, now: number): boolean => {
    if (skipped.size >= SKIPPED) return false;
    skipped.set(id, now + options.skipMs);
    return true;
  };

  /** Resolves with true if the next sweep does not find the actor. */
  const wake = async (id: string, now: number): Promise<boolean> => {
    if (options.handles(id)) {
      try {
        await options.wake(id);
        return true;
      } catch (error) {
        if (!(error instanceof Unreadable)) return false;
      }
    }
    return skip(id, now);
  };

  const sweep = async (aheadMs: number, before: ReadonlySet<string>): Promise<void> => {
    const now = options.now();
    for (const [id, until] of skipped) if (until <= now || until > now + options.skipMs) skipped.delete(id);
    const limit = PAGE + skipped.size;
    const due = await options.store.due(now + aheadMs, limit);
    const ids = due.filter((id) => !skipped.has(id));
    const done = await Promise.all(ids.map((id) => wake(id, now)));
    // The same page again would be asked for without end.
    const progress = done.includes(true) && ids.some((id) => !before.has(id));
    if (due.length === limit && progress && !closed) await sweep(0, new Set(ids));
  };

  const start = (aheadMs: number): void => {
    options.onSweep();
    running = sweep(aheadMs, new Set())
      .catch((error: unknown) => options.onError(error))
      .finally(() => {
        if (!closed) timer = setTimeout(start, options.everyMs, 0).unref();
      });
  };
  start(options.headStartMs);

  return {
    /** Leaves an actor to the other nodes for `skipMs`: this one cannot do its work. */
    leave(id: string): void {
      skip(id, options.now());
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
