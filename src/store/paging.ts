import { setImmediate } from 'node:timers/promises';
import { actorId, type Address, addressOf, type ListPage, type ListQuery, type Store } from './port.js';

/**
 * Yields the items of a listing, a page at a time, from the one after `first` on. `ask` resolves with the page after the
 * document of an id; undefined: the first page. Other work runs between two pages, as the embedded store answers without waiting.
 */
export async function* pages<T extends { readonly id: string }>(
  ask: (after: string | undefined) => Promise<ListPage<T>>,
  first?: string,
): AsyncGenerator<readonly T[], void> {
  for (let after = first; ;) {
    const { items, more } = await ask(after);
    if (items.length > 0) yield items;
    if (!more) return;
    after = items.at(-1)!.id;
    await setImmediate();
  }
}

/** Tenants passed in one turn of the event loop. */
const STEP = 50;

/**
 * Yields the last actor of each tenant that has actors of a kind, in a state if one is given; the last tenant first. The
 * cost grows with the number of tenants, not of actors.
 */
export async function* lastOfTenants(
  store: Pick<Store, 'outline'>,
  query: Pick<ListQuery, 'kind' | 'state'>,
): AsyncGenerator<Address, void> {
  let after: string | undefined;
  for (let passed = 1; ; passed += 1) {
    const { items } = await store.outline({ ...query, after, descending: true, limit: 1 });
    if (items.length === 0) return;
    const last = addressOf(items[0]!.id);
    yield last;
    after = actorId({ ...last, name: '' });
    if (passed % STEP === 0) await setImmediate();
  }
}
