import { setImmediate } from 'node:timers/promises';
import type { ListPage } from './port.js';

/**
 * Yields the items of a listing, a page at a time. `ask` resolves with the page behind the document of an id; undefined:
 * the first page. Other work runs between two pages, as the embedded store answers without waiting.
 */
export async function* pages<T extends { readonly id: string }>(
  ask: (after: string | undefined) => Promise<ListPage<T>>,
): AsyncGenerator<readonly T[], void> {
  for (let after: string | undefined; ;) {
    const { items, more } = await ask(after);
    if (items.length > 0) yield items;
    if (!more) return;
    after = items.at(-1)!.id;
    await setImmediate();
  }
}
