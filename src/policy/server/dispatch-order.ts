import type { DispatchEffect } from '../alerts/outgoing-messages.js';

/** Bounds the messages that are dispatched at the same time. */
export type Permits = ReturnType<typeof createPermits>;

/** Returns that many permits. */
export function createPermits(count: number) {
  let free = count;
  const waiting: { readonly wanted: number; readonly resolve: (taken: number) => void }[] = [];
  const serve = (): void => {
    while (free > 0 && waiting.length > 0) {
      const { wanted, resolve } = waiting.shift()!;
      const taken = Math.min(free, wanted);
      free -= taken;
      resolve(taken);
    }
  };
  return {
    /** Resolves with at least 1 and at most `wanted` permits, in the order of the calls. */
    acquire: (wanted: number) =>
      new Promise<number>((resolve) => {
        waiting.push({ wanted, resolve });
        serve();
      }),
    release(given: number): void {
      free += given;
      serve();
    },
  };
}

/**
 * Dispatches messages of one subscription and channel, oldest first. Ends at the first that fails: none after it is dispatched,
 * but for those that were under way with it. A message with `after` needs the one before; others go together, and their
 * deliveries begin in their order.
 */
export async function dispatchInOrder(
  entries: readonly DispatchEffect[],
  dispatch: (entry: DispatchEffect) => Promise<void>,
  permits: Permits,
): Promise<void> {
  for (let from = 0; from < entries.length;) {
    const count = await permits.acquire(together(entries, from));
    const results = await Promise.allSettled(entries.slice(from, from + count).map(dispatch));
    permits.release(count);
    if (results.some(({ status }) => status === 'rejected')) return;
    from += count;
  }
}

/** Returns how many messages from an index on can be dispatched at the same time. */
function together(entries: readonly DispatchEffect[], from: number): number {
  const ordered = entries.findIndex(({ after }, i) => i > from && after !== undefined);
  return (ordered < 0 ? entries.length : ordered) - from;
}
