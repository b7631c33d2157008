/** Bounds how much is under way to each receiver, so that none that is slow or dead takes what others need. */
export interface Slots {
  /** Runs the work where the receiver has a free slot, else returns undefined at once. */
  run<T>(receiver: string, work: () => Promise<T>): Promise<T> | undefined;
}

/** Makes slots: at most `each` under way per receiver, at most `all` in total. */
export function createSlots(each: number, all: number): Slots {
  const taken = new Map<string, number>();
  let total = 0;

  const free = (receiver: string): void => {
    total -= 1;
    const left = taken.get(receiver)! - 1;
    if (left === 0) taken.delete(receiver);
    else taken.set(receiver, left);
  };

  return {
    run(receiver, work) {
      const mine = taken.get(receiver) ?? 0;
      if (mine >= each || total >= all) return undefined;
      taken.set(receiver, mine + 1);
      total += 1;
      return work().finally(() => free(receiver));
    },
  };
}
