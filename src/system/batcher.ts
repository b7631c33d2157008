/** An item's batch. */
export interface Batched<R> {
  /** Index of the item in its batch. */
  readonly index: number;
  /** Settles as the processing of the batch. */
  readonly result: Promise<R>;
}

export interface BatcherOptions<T, R> {
  /** Schedules the processing of a batch that has just been opened, for example `setImmediate`. */
  readonly schedule: (process: () => void) => void;
  /** Maximum number of items in a batch; unlimited by default. */
  readonly maxSize?: number;
  /** Processes the items of one key together. */
  readonly process: (key: string, items: readonly T[]) => Promise<R>;
}

interface Batch<T, R> {
  readonly items: T[];
  readonly result: Promise<R>;
}

/**
 * Creates a batcher: a function that collects items by key and has those of one key processed together. A key's first
 * item opens a batch, which later items join until it is processed or full.
 */
export function batcher<T, R>(options: BatcherOptions<T, R>): (key: string, item: T) => Batched<R> {
  const { schedule, maxSize = Infinity, process } = options;
  const open = new Map<string, Batch<T, R>>();

  const openBatch = (key: string): Batch<T, R> => {
    const items: T[] = [];
    const result = new Promise<R>((resolve, reject) => {
      schedule(() => {
        if (open.get(key) === batch) open.delete(key);
        process(key, items).then(resolve, reject);
      });
    });
    const batch = { items, result };
    open.set(key, batch);
    return batch;
  };

  return (key, item) => {
    const current = open.get(key);
    const { items, result } =
      current !== undefined && current.items.length < maxSize ? current : openBatch(key);
    return { index: items.push(item) - 1, result };
  };
}
