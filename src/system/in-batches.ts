import { setImmediate } from 'node:timers/promises';

/** Splits a list into batches of at most `size` items. Other work gets a turn of the event loop between two batches. */
export async function* inBatches<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[], void> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await setImmediate();
    yield items.slice(from, from + size);
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
