import { DELIVERY, PENDING_STATES } from '../../delivery/delivery.js';
import { ENDPOINT, type EndpointContext } from '../../delivery/endpoint/endpoint-machine.js';
import { receiverIdIn } from '../../delivery/receiver/receiver-machine.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Listed, type Store } from '../../store/port.js';
import { ttlCache } from '../../system/ttl-cache.js';

/** What waits for a receiver. */
export interface ReceiverCounts {
  waiting: number;
  dead: number;
  /** When its next attempt is due, ms since the epoch; Infinity if none is planned. */
  next: number;
}

/** What keeps the subscriptions of a receiver from being sent to. */
export interface Suspended {
  readonly tenant: string;
  /** Start of the earliest suspension, ms since the epoch. */
  readonly since: number;
}

/** What waits for all receivers, and which are suspended, by the ids of the receivers. */
export interface CountsByReceiver {
  readonly waiting: ReadonlyMap<string, ReceiverCounts>;
  readonly suspended: ReadonlyMap<string, Suspended>;
}

/** Reads what waits for the receivers of a tenant; undefined: of all tenants. */
export type CountReceivers = (tenant: string | undefined) => Promise<CountsByReceiver>;

/** Documents read at once, and most that are read of one state. */
const READ = { page: 500, most: 20_000 };
/**
 * How long the counts are kept, ms: so many times the duration of their reading, between two limits. Many consoles that
 * watch a large backlog must not keep the service busy.
 */
const KEPT_MS = { least: 1_000, most: 10_000, times: 20 };
/** Maximum number of tenants whose counts are kept. */
const KEPT = 1_000;

/**
 * Creates the counts of receivers, a second old, with many deliveries up to ten. Of more than 20,000 deliveries in a state the first ones are
 * counted: the oldest of a tenant. `now` is in ms since the epoch.
 */
export function createReceiverCounts(store: Pick<Store, 'list'>, now: () => number): CountReceivers {
  const kept = ttlCache<CountsByReceiver & { readonly until: number }>({
    ttlMs: KEPT_MS.most,
    expiresAt: ({ until }) => until,
    max: KEPT,
    now,
  });

  const each = async (
    kind: string,
    tenant: string | undefined,
    state: string,
    take: (one: Listed) => void,
  ) => {
    let read = 0;
    const ask = (after: string | undefined) =>
      store.list({ kind, tenant, state, after, limit: READ.page, frequentOnly: true });
    for await (const page of pages(ask)) {
      for (const listed of page) take(listed);
      read += page.length;
      if (read >= READ.most) return;
    }
  };

  const read = async (tenant: string | undefined): Promise<CountsByReceiver & { readonly until: number }> => {
    const begun = performance.now();
    const at = now();
    const waiting = new Map<string, ReceiverCounts>();
    const countsOf = (listed: Listed): ReceiverCounts | undefined => {
      const id = receiverIdIn(listed);
      if (id === undefined) return undefined;
      let counts = waiting.get(id);
      if (counts === undefined) waiting.set(id, (counts = { waiting: 0, dead: 0, next: Infinity }));
      return counts;
    };
    for (const state of PENDING_STATES) {
      await each(DELIVERY, tenant, state, (listed) => {
        const counts = countsOf(listed);
        if (counts === undefined) return;
        counts.waiting += 1;
        if (state === 'waiting') counts.next = Math.min(counts.next, listed.wakeAt ?? Infinity);
      });
    }
    await each(DELIVERY, tenant, 'dead', (listed) => {
      const counts = countsOf(listed);
      if (counts !== undefined) counts.dead += 1;
    });
    const suspended = await suspendedOf(tenant);
    const took = performance.now() - begun;
    const until = at + Math.max(KEPT_MS.least, Math.min(KEPT_MS.most, KEPT_MS.times * took));
    return { waiting, suspended, until };
  };

  const suspendedOf = async (asked: string | undefined): Promise<ReadonlyMap<string, Suspended>> => {
    const found = new Map<string, Suspended>();
    await each(ENDPOINT, asked, 'suspended', ({ id, frequent }) => {
      const { receiver, suspended: since } = JSON.parse(frequent) as EndpointContext;
      if (receiver === undefined || since === undefined) return;
      const tenant = addressOf(id).tenant;
      found.set(receiver, { tenant, since: Math.min(since, found.get(receiver)?.since ?? Infinity) });
    });
    return found;
  };

  return (tenant) => kept.get(tenant ?? '', () => read(tenant));
}
