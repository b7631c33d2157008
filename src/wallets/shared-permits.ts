/** Permits that owners share: an owner may hold as many as are free, so that one alone leaves half of them to others. */
export interface SharedPermits {
  /**
   * Resolves with the function that gives the permit back, once the owner may have one. Rejects with the reason of
   * `signal` if that is aborted before.
   */
  take(owner: string, signal: AbortSignal): Promise<() => void>;
  /** True while no permit is held. */
  readonly idle: boolean;
}

interface Waiting {
  readonly owner: string;
  readonly grant: () => void;
}

/** Makes `most` permits. */
export function sharedPermits(most: number): SharedPermits {
  const held = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let free = most;

  const mayTake = (owner: string): boolean => (held.get(owner) ?? 0) < free;

  const takeNow = (owner: string): (() => void) => {
    free -= 1;
    held.set(owner, (held.get(owner) ?? 0) + 1);
    return () => {
      const count = held.get(owner)! - 1;
      if (count === 0) held.delete(owner);
      else held.set(owner, count);
      free += 1;
      grantWaiting();
    };
  };

  const grantWaiting = (): void => {
    for (const one of waiting) {
      if (free === 0) return;
      if (mayTake(one.owner)) one.grant();
    }
  };

  return {
    get idle() {
      return free === most;
    },
    async take(owner, signal) {
      signal.throwIfAborted();
      if (mayTake(owner)) return takeNow(owner);
      return new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(one);
          signal.removeEventListener('abort', abort);
        };
        const abort = (): void => {
          end();
          reject(signal.reason as Error);
        };
        const one: Waiting = {
          owner,
          grant: () => {
            end();
            resolve(takeNow(owner));
          },
        };
        waiting.add(one);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
