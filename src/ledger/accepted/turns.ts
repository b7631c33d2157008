/** Limits how much work this node does at the same time. */
export type Turns = ReturnType<typeof createTurns>;

/** Makes turns: `most` at the same time. At most `waiting` wait for one, in order of arrival. */
export function createTurns({ most, waiting }: { readonly most: number; readonly waiting: number }) {
  const queue = new Set<() => void>();
  let taken = 0;

  const leave = (): void => {
    taken -= 1;
    const [next] = queue;
    if (next === undefined) return;
    queue.delete(next);
    next();
  };
  const enter = (): (() => void) => {
    taken += 1;
    return leave;
  };

  return {
    /** True if no more can wait. */
    get full(): boolean {
      return queue.size >= waiting;
    },
    /** Resolves with the function that ends the turn; undefined if too many wait. */
    async take(): Promise<(() => void) | undefined> {
      if (taken < most) return enter();
      if (queue.size >= waiting) return undefined;
      return new Promise((resolve) => queue.add(() => resolve(enter())));
    },
  };
}
