import type { Store } from '../store/port.js';

export interface SweepOptions {
  readonly store: Store;
  now(): number;
  readonly everyMs: number;
  /** False for documents of kinds that this node has no machine for. */
  handles(id: string): boolean;
  /** Wakes an actor; resolves once its answer is durable. */
  wake(id: string): Promise<unknown>;
  onError(error: unknown): void;
  /** How much earlier than its time an actor is woken by the first sweep, ms. */
  readonly headStartMs: number;
}

/** Most actors woken at once by one sweep. */
const PAGE = 200;

/** Asks the store again and again for actors whose time has come, whichever node committed them, and wakes them. */
export function startSweep(options: SweepOptions): { close(): Promise<void> } {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const once = async (aheadMs: number): Promise<void> => {
    const ids = await options.store.due(options.now() + aheadMs, PAGE);
    const woken = await Promise.allSettled(
      ids.filter((id) => options.handles(id)).map((id) => options.wake(id)),
    );
    const full = ids.length === PAGE && woken.some((result) => result.status === 'fulfilled');
    if (full && !closed) await once(0);
  };

  const round = (aheadMs: number): void => {
    running = once(aheadMs)
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
