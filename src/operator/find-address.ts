import { actorId, addressOf } from '../store/port.js';
import type { Address, Store } from '../store/port.js';

/** Behind everything whose id begins as what stands before it. */
const LAST = '\u{10ffff}';

/**
 * The actor of this kind and name, whose name is unique over the tenants; undefined where there is none. Goes from one
 * tenant that has actors of the kind to the next, so that its cost follows their number and not that of the actors.
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
