import { setImmediate } from 'node:timers/promises';

/**
 * Splits items into batches. The items of a batch cost at most `size` together, unless it is a single item; without `costOf` each
 * costs 1. Other work gets a turn of the event loop between two batches.
 */
export async function* inBatches<T>(
  items: Iterable<T>,
  size: number,
  costOf: (item: T) => number = () => 1,
): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  let room = size;
  for (const item of items) {
    const cost = costOf(item);
    if (cost > room && batch.length > 0) {
      yield batch;
      await setImmediate();
      batch = [];
      room = size;
    }
    batch.push(item);
    room -= cost;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Calls `work` on each item, `size` of them at once. Returns the results in the order of the items. Rejects with the
 * first error; batches after it are not started. Other work gets a turn of the event loop between two batches.
 */
export async function mapInBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for await (const batch of inBatches(items, size)) {
    const from = results.length;
    results.push(...(await Promise.all(batch.map((item, i) => work(item, from + i)))));
  }
  return results;
}
