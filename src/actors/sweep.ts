import type { Store } from '../store/port.js';
import { Unreadable } from './behavior.js';

export interface SweepOptions {
  readonly store: Store;
  now(): number;
  readonly everyMs: number;
  /** False for documents of kinds that this node has no machine for. */
  handles(id: string): boolean;
  /** For how long documents that this node has no machine for, or cannot read, are left alone, ms. */
  readonly putOffMs: number;
  /** Wakes an actor; resolves once its answer is durable. */
  wake(id: string): Promise<unknown>;
  onError(error: unknown): void;
  /** How much earlier than its time an actor is woken by the first sweep, ms. */
  readonly headStartMs: number;
}

/** Most actors woken at once by one sweep. */
const PAGE = 200;
/** Most documents that are known to be of no use to this node; more would hold up the others. */
const PUT_OFF = 10_000;

/** Asks the store again and again for actors whose time has come, whichever node committed them, and wakes them. */
export function startSweep(options: SweepOptions): { close(): Promise<void> } {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /** What this node can do nothing about, and until when it is not tried: it must not fill the page for ever. */
  const putOff = new Map<string, number>();

  /** True where the actor is out of the way of the next sweep. */
  const wake = async (id: string, now: number): Promise<boolean> => {
    if (options.handles(id)) {
      try {
        await options.wake(id);
        return true;
      } catch (error) {
        if (!(error instanceof Unreadable)) return false;
      }
    }
    if (putOff.size >= PUT_OFF) return false;
    putOff.set(id, now + options.putOffMs);
    return true;
  };

  const once = async (aheadMs: number, before: ReadonlySet<string>): Promise<void> => {
    const now = options.now();
    for (const [id, until] of putOff) if (until <= now) putOff.delete(id);
    const limit = PAGE + putOff.size;
    const ids = await options.store.due(now + aheadMs, limit);
    const useful = ids.filter((id) => !putOff.has(id));
    const moved = await Promise.all(useful.map((id) => wake(id, now)));
    // A page that brings nobody new would be asked for again and again.
    const news = moved.includes(true) && useful.some((id) => !before.has(id));
    if (ids.length === limit && news && !closed) await once(0, new Set(useful));
  };

  const round = (aheadMs: number): void => {
    running = once(aheadMs, new Set())
      .catch((error: unknown) => options.onError(error))
      .finally(() => {
        if (!closed) timer = setTimeout(round, options.everyMs, 0).unref();
      });
  };
  round(options.headStartMs);

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
