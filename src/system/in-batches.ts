import { setImmediate } from 'node:timers/promises';

/**
 * Splits a list into batches. The items of a batch cost at most `size` together, unless it is a single item; without `costOf` each
 * costs 1. Other work gets a turn of the event loop between two batches.
 */
export async function* inBatches<T>(
  items: readonly T[],
  size: number,
  costOf: (item: T) => number = () => 1,
): AsyncGenerator<readonly T[], void> {
  for (let from = 0, to = 0; from < items.length; from = to) {
    if (from > 0) await setImmediate();
    for (let room = size; to < items.length; to += 1) {
      room -= costOf(items[to]!);
      if (room < 0 && to > from) break;
    }
    yield items.slice(from, to);
  }
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
