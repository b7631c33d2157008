import { setImmediate } from 'node:timers/promises';
import type { ListPage } from './port.js';

/**
 * Walks a listing to its end, a page at a time. `ask` gives the page behind the document whose id it is told, and the
 * first one for undefined. Others get their turn between two pages: a store on this machine answers at once.
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
