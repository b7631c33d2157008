import { pages } from '../../store/paging.js';
import { type Listed, type Ordered, type OrderedQuery, type Store } from '../../store/port.js';
import type { ServerState } from '../explain/shapes.js';
import { SERVER } from '../server/server-kind.js';
import { SERVER_STATES } from '../server/server-machine.js';
import { orderOfState, orderSince, sinceInOrder } from '../server/server-place.js';

/** Orders of a list: the worst state first and in it the oldest; the oldest first; by tenant and id. */
export const FLEET_SORTS = ['state', 'since', 'name'] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];

/** A server of a list, after which the list goes on. `order`: as stored, or the start for its state; empty in a list by name. */
export type FleetCursor = Pick<Ordered, 'order' | 'id'>;

export interface Walk {
  readonly tenant: string | undefined;
  readonly state: ServerState | undefined;
  readonly sort: FleetSort;
  /**
   * The list begins after it: the last server of the page before, or the last one that was searched for that page. undefined: it
   * begins with its first server.
   */
  readonly after: FleetCursor | undefined;
  /** The moment that is listed, as the first page gave it; undefined for the first page. See `Store.hold`. */
  readonly moment: string | undefined;
}

/** A server's document in a list. */
export type Walked = Listed & FleetCursor;

/** The states that have a time. */
const TIMED: readonly ServerState[] = ['firing', 'noData', 'pending'];

/** Yields the documents of servers in the order of a list. Reads `size` of them at a time. */
export async function* walkFleet(
  store: Pick<Store, 'list' | 'ordered'>,
  walk: Walk,
  size: number,
): AsyncGenerator<Walked, void> {
  const { tenant, state, sort, after, moment } = walk;
  if (sort === 'name') return yield* byName(store, walk, '', size);
  const inState = (one: ServerState, cursor: FleetCursor | undefined): AsyncGenerator<Walked, void> => {
    const from = orderOfState(one);
    if (!TIMED.includes(one)) return byName(store, { tenant, state: one, after: cursor, moment }, from, size);
    return byPlace(store, { tenant, from, to: `${from}~`, after: cursor, moment }, size);
  };
  const reached = after && SERVER_STATES.find((one) => after.order.startsWith(orderOfState(one)));
  const left = state === undefined ? SERVER_STATES.slice(reached && SERVER_STATES.indexOf(reached)) : [state];
  const isMerged = sort === 'since' && state === undefined;
  if (isMerged && (reached === undefined || TIMED.includes(reached)))
    yield* merged(TIMED.map((one) => inState(one, after && cursorIn(one, after))));
  for (const one of isMerged ? left.filter((it) => !TIMED.includes(it)) : left)
    yield* inState(one, one === reached ? after : undefined);
}

/** Returns the cursor in one state of a list by time. At one time the worse state comes first. */
function cursorIn(state: ServerState, after: FleetCursor): FleetCursor {
  const rank = orderOfState(state);
  if (after.order.startsWith(rank)) return after;
  const since = sinceInOrder(after.order);
  return { order: orderSince(state, rank < after.order ? since + 1 : since), id: '' };
}

async function* byPlace(
  store: Pick<Store, 'ordered'>,
  query: Pick<OrderedQuery, 'tenant' | 'from' | 'to' | 'after' | 'moment'>,
  size: number,
): AsyncGenerator<Walked, void> {
  for (let { after } = query; ;) {
    const { items, more } = await store.ordered({ ...query, kind: SERVER, after, limit: size });
    yield* items;
    if (!more) return;
    after = items.at(-1)!;
  }
}

async function* byName(
  store: Pick<Store, 'list'>,
  { tenant, state, after, moment }: Omit<Walk, 'sort'>,
  order: string,
  size: number,
): AsyncGenerator<Walked, void> {
  const query = { kind: SERVER, tenant, state, moment, limit: size };
  for await (const page of pages((last) => store.list({ ...query, after: last }), after?.id))
    for (const item of page) yield { ...item, order };
}

/** Merges lists of several states by time. */
async function* merged(lists: readonly AsyncGenerator<Walked, void>[]): AsyncGenerator<Walked, void> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let first: number | undefined;
    for (const [i, { value }] of heads.entries()) {
      if (value !== undefined && (first === undefined || timeOf(value) < timeOf(heads[first]!.value!)))
        first = i;
    }
    if (first === undefined) return;
    yield heads[first]!.value!;
    heads[first] = await lists[first]!.next();
  }
}

function timeOf({ order }: Walked): number {
  return sinceInOrder(order);
}
