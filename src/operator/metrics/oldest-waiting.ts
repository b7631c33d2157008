import { contextIn } from '../../actors/behavior.js';
import { DELIVERY } from '../../delivery/delivery.js';
import type { DeliveryContext } from '../../delivery/delivery.js';
import { actorId, addressOf } from '../../store/port.js';
import type { Store } from '../../store/port.js';

/** Tenants looked at in one call. */
const TENANTS = 200;
/** Sorts after every name. */
const LAST = '\u{10ffff}';

/**
 * Returns the function that finds when the oldest waiting delivery was to be sent first, ms since the epoch; undefined if
 * none waits. The ids of a tenant's deliveries are in the order of their times, so it reads one delivery of each tenant: of
 * the next 200 tenants in each call. With more tenants, the result is that of the last round over all of them.
 */
export function oldestWaiting(store: Pick<Store, 'list'>): () => Promise<number | undefined> {
  let after: string | undefined;
  let found: number | undefined;
  let before: number | undefined;
  return async () => {
    for (let tenants = 0; tenants < TENANTS; tenants += 1) {
      const { items } = await store.list({ kind: DELIVERY, state: 'waiting', after, limit: 1 });
      const [first] = items;
      if (first === undefined) {
        before = found;
        found = undefined;
        after = undefined;
        return before;
      }
      const { since } = contextIn(first) as DeliveryContext;
      found = earlier(found, since);
      after = actorId({ kind: DELIVERY, tenant: addressOf(first.id).tenant, name: LAST });
    }
    return before === undefined ? found : earlier(found, before);
  };
}

function earlier(one: number | undefined, other: number): number {
  return one === undefined ? other : Math.min(one, other);
}
