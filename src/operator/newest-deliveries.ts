import { setImmediate } from 'node:timers/promises';
import { DELIVERY, deliveryAddress } from '../delivery/delivery.js';
import { lastOfTenants } from '../store/paging.js';
import { actorId, addressOf, type Listed, type Store } from '../store/port.js';
import { mapInBatches } from '../system/in-batches.js';

export interface NewestQuery {
  /** undefined: all tenants. */
  readonly tenant: string | undefined;
  /** States of the machine; undefined: any. The deliveries in them are found by an index. */
  readonly states: readonly string[] | undefined;
  /** Only deliveries whose ids are below this one. */
  readonly before: string | undefined;
}

/** Documents of a tenant that are read at first, and most that are read at once. */
const READ = { first: 8, most: 100 };
/** Deliveries taken in one turn of the event loop. */
const STEP = 50;
/** Tenants that are asked for their newest delivery at the same time. */
const ASKED = 16;

/**
 * Yields deliveries in descending order of their ids, which are unique over all tenants: the newest first. Reads little
 * more than the caller takes. Other work runs in between.
 */
export async function* newestDeliveries(store: Store, query: NewestQuery): AsyncGenerator<Listed, void> {
  const { tenant, before } = query;
  if (tenant !== undefined) {
    const after = before === undefined ? undefined : actorId(deliveryAddress(tenant, before));
    yield* ofTenant(store, query, tenant, after);
    return;
  }
  /** In ascending order of their names: the newest is the last one. */
  const heads: Head[] = await newestOfTenants(store, query);
  for (let taken = 1; heads.length > 0; taken += 1) {
    const {
      tenant: owner,
      name,
      item,
      rest = ofTenant(store, query, owner, from(owner, name)),
    } = heads.pop()!;
    if (item !== undefined) yield item;
    const { value: next } = await rest.next();
    if (next !== undefined) {
      insert(heads, { tenant: owner, name: addressOf(next.id).name, item: next, rest });
    }
    if (taken % STEP === 0) await setImmediate();
  }
}

/** The newest delivery of a tenant that is not yielded yet. */
interface Head {
  readonly tenant: string;
  readonly name: string;
  /** The delivery and those after it. undefined before they are read. */
  readonly item?: Listed;
  readonly rest?: AsyncGenerator<Listed, void>;
}

/** Returns the start of a listing that begins with a delivery. An id with a NUL sorts directly after that id. */
function from(tenant: string, name: string): string {
  return `${actorId(deliveryAddress(tenant, name))}\0`;
}

/** Inserts into a list in ascending order. */
function insert(heads: Head[], head: Head): void {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heads[middle]!.name < head.name) low = middle + 1;
    else high = middle;
  }
  heads.splice(low, 0, head);
}

/** Returns the newest delivery below `before` of each tenant that has one, the newest last. */
async function newestOfTenants(store: Store, { states, before }: NewestQuery): Promise<Head[]> {
  const newest = new Map<string, string>();
  for (const state of statesOf(states)) {
    const tenants: string[] = [];
    const note = (tenant: string, name: string): void => {
      if (name > (newest.get(tenant) ?? '')) newest.set(tenant, name);
    };
    for await (const { tenant, name } of lastOfTenants(store, { kind: DELIVERY, state })) {
      if (before === undefined || name < before) note(tenant, name);
      else tenants.push(tenant);
    }
    await mapInBatches(tenants, ASKED, async (tenant) => {
      const after = actorId(deliveryAddress(tenant, before!));
      const query = { kind: DELIVERY, tenant, state, after, descending: true, limit: 1 };
      for (const { id } of (await store.outline(query)).items) note(tenant, addressOf(id).name);
    });
  }
  return [...newest]
    .map(([tenant, name]) => ({ tenant, name }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Yields the deliveries of a tenant, the newest first. */
async function* ofTenant(
  store: Store,
  { states }: NewestQuery,
  tenant: string,
  begin: string | undefined,
): AsyncGenerator<Listed, void> {
  const query = { kind: DELIVERY, tenant, descending: true };
  let after = begin;
  for (let limit = READ.first; ; limit = Math.min(2 * limit, READ.most)) {
    // The embedded store reads all states at one moment: no delivery that changes its state is missed.
    const pages = await Promise.all(
      statesOf(states).map((state) => store.list({ ...query, state, after, limit })),
    );
    // A cut page hides deliveries below its end.
    const ends = pages.filter(({ more }) => more).map(({ items }) => items.at(-1)!.id);
    const found = new Map(pages.flatMap(({ items }) => items.map((item) => [item.id, item] as const)));
    const whole = [...found.values()].filter(({ id }) => ends.every((end) => id >= end));
    yield* whole.toSorted((a, b) => (a.id > b.id ? -1 : 1));
    if (ends.length === 0) return;
    after = ends.reduce((a, b) => (a > b ? a : b));
    await setImmediate();
  }
}

function statesOf(states: NewestQuery['states']): readonly (string | undefined)[] {
  return states ?? [undefined];
}
