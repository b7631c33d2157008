import { actorId, addressOf } from '../store/port.js';
import type { Address, Store } from '../store/port.js';

/** Sorts after every name. */
const LAST = '\u{10ffff}';

/**
 * Finds an actor by kind and name, where names are unique over all tenants. undefined if it does not exist. Steps from one
 * tenant with actors of the kind to the next: the cost grows with the number of tenants, not of actors.
 */
export async function findAddress(store: Store, kind: string, name: string): Promise<Address | undefined> {
  let after: string | undefined;
  for (;;) {
    const { items } = await store.outline({ kind, after, limit: 1 });
    if (items.length === 0) return undefined;
    const { tenant } = addressOf(items[0]!.id);
    const address = { kind, tenant, name };
    if ((await store.load(actorId(address))) !== undefined) return address;
    after = actorId({ kind, tenant, name: LAST });
  }
}
