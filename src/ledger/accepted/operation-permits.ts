/** Limits how much work this node does at the same time. */
export type OperationPermits = ReturnType<typeof createOperationPermits>;

export interface OperationPermitsOptions {
  /** Permits at the same time. */
  readonly most: number;
  /** What may wait: for a permit, or for the time of another try. */
  readonly waiting: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Time after which work that rested here counts as taken up by another node, ms. */
const LATE_MS = 60_000;

/** Makes permits for operations: `most` at the same time. At most `waiting` wait for one, in order of arrival. */
export function createOperationPermits({ most, waiting, now }: OperationPermitsOptions) {
  const queue = new Set<() => void>();
  /** When what rests is tried again, ms since the epoch, by its name. */
  const resting = new Map<string, number>();
  let taken = 0;

  const release = (): void => {
    taken -= 1;
    const [next] = queue;
    if (next === undefined) return;
    queue.delete(next);
    next();
  };
  const give = (): (() => void) => {
    taken += 1;
    return release;
  };
  const isFull = (): boolean => taken + queue.size + resting.size >= most + waiting;

  return {
    /** True if no more can wait. */
    get full(): boolean {
      if (!isFull()) return false;
      const before = now() - LATE_MS;
      for (const [name, until] of resting) if (until < before) resting.delete(name);
      return isFull();
    },
    /** Number of works that rest. */
    get resting(): number {
      return resting.size;
    },
    /** Work of this name waits until a time, ms since the epoch, and then acquires a permit again. */
    rest(name: string, until: number): void {
      resting.set(name, until);
    },
    /** Resolves with the function that gives the permit back; undefined if too many wait for one. */
    async acquire(name: string): Promise<(() => void) | undefined> {
      resting.delete(name);
      if (taken < most) return give();
      if (queue.size >= waiting) return undefined;
      return new Promise((resolve) => queue.add(() => resolve(give())));
    },
  };
}
