import { contextIn } from '../../actors/behavior.js';
import { DELIVERY, type DeliveryContext } from '../../delivery/delivery.js';
import { timeOfMessageId } from '../../delivery/message-id.js';
import { actorId, addressOf, type Listed, type Store } from '../../store/port.js';

/** Tenants that are read in one call. */
const TENANTS = 200;
/** Deliveries of one tenant that are read at once, and most that are read of it. */
const READ = { page: 100, most: 2_000 };
/**
 * How much later than its id says a delivery may have been dispatched, ms. One that is later still is a redelivered dead
 * letter.
 */
const LATE_MS = 60_000;
/** Sorts after every name. */
const LAST = '\u{10ffff}';

/**
 * Returns the function that finds when the oldest waiting delivery was to be sent first, ms since the epoch; undefined if
 * none waits. The ids of a tenant's deliveries are in the order of their times, so it reads one delivery of each tenant: of
 * the next 200 tenants in each call. With more tenants, the result is that of the last round over all of them. A dead
 * letter that is sent again is younger than its id: more are read after it.
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
      found = earlier(found, await oldestFrom(store, first));
      after = actorId({ kind: DELIVERY, tenant: addressOf(first.id).tenant, name: LAST });
    }
    return before === undefined ? found : earlier(found, before);
  };
}

/** Returns when the oldest waiting delivery of a tenant was to be sent first. `first` has its lowest id. */
async function oldestFrom(store: Pick<Store, 'list'>, first: Listed): Promise<number> {
  const { tenant } = addressOf(first.id);
  let oldest = sinceOf(first);
  let last = first;
  for (let read = 1; read < READ.most && timeOf(last) + LATE_MS < oldest;) {
    const query = { kind: DELIVERY, tenant, state: 'waiting', after: last.id, limit: READ.page };
    const { items } = await store.list(query);
    if (items.length === 0) break;
    oldest = Math.min(oldest, ...items.map(sinceOf));
    last = items.at(-1)!;
    read += items.length;
  }
  return oldest;
}

function sinceOf(delivery: Listed): number {
  return (contextIn(delivery) as DeliveryContext).since;
}

/** Returns the time in the id of a delivery, ms since the epoch; NaN for an id without one. */
function timeOf({ id }: Listed): number {
  return timeOfMessageId(addressOf(id).name);
}

function earlier(one: number | undefined, other: number): number {
  return one === undefined ? other : Math.min(one, other);
}
