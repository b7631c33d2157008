/** Permits that owners share. */
export type SharedPermits = ReturnType<typeof sharedPermits>;

/** Makes permits for owners to share. An owner holds at most as many as are free: a single owner leaves half to others. */
export function sharedPermits(count: number) {
  const held = new Map<string, number>();
  const waiting = new Set<{ readonly owner: string; readonly grant: () => void }>();
  let free = count;

  const mayAcquire = (owner: string): boolean => (held.get(owner) ?? 0) < free;

  const acquireNow = (owner: string): (() => void) => {
    free -= 1;
    held.set(owner, (held.get(owner) ?? 0) + 1);
    return () => {
      const rest = held.get(owner)! - 1;
      if (rest === 0) held.delete(owner);
      else held.set(owner, rest);
      free += 1;
      grantWaiting();
    };
  };

  const grantWaiting = (): void => {
    for (const one of waiting) {
      if (free === 0) return;
      if (mayAcquire(one.owner)) one.grant();
    }
  };

  return {
    /** True while no permit is held. */
    get idle() {
      return free === count;
    },
    /**
     * Waits for a permit. Resolves with the function that releases it. Rejects with the reason of `signal` if that is
     * aborted before.
     */
    async acquire(owner: string, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (mayAcquire(owner)) return acquireNow(owner);
      return new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(one);
          signal.removeEventListener('abort', abort);
        };
        const abort = (): void => {
          end();
          reject(signal.reason as Error);
        };
        const one = {
          owner,
          grant: () => {
            end();
            resolve(acquireNow(owner));
          },
        };
        waiting.add(one);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
