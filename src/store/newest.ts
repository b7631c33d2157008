import { setImmediate } from 'node:timers/promises';
import { mapInBatches } from '../system/in-batches.js';
import { lastOfTenants } from './paging.js';
import { actorId, addressOf, type Listed, type Store } from './port.js';

/** Which documents to list, of a kind whose names begin with the time. */
export interface NewestQuery {
  readonly kind: string;
  /** undefined: all tenants. */
  readonly tenant: string | undefined;
  /** States of the machine; undefined: any. The documents in them are found by an index. */
  readonly states: readonly string[] | undefined;
  /** Only documents whose names are below this one. */
  readonly before: string | undefined;
}

/** Documents of a tenant that are read at first, and most that are read at once. */
const READ = { first: 8, most: 100 };
/** Documents taken in one turn of the event loop. */
const STEP = 50;
/** Tenants that are asked for their newest document at the same time. */
const ASKED = 16;

/**
 * Yields documents in descending order of their names, which are unique over all tenants: the newest first. Reads little
 * more than the caller takes. Other work runs in between.
 */
export async function* newestOf(store: Store, query: NewestQuery): AsyncGenerator<Listed, void> {
  const { kind, tenant, before } = query;
  if (tenant !== undefined) {
    const after = before === undefined ? undefined : actorId({ kind, tenant, name: before });
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
      rest = ofTenant(store, query, owner, from(kind, owner, name)),
    } = heads.pop()!;
    if (item !== undefined) yield item;
    const { value: next } = await rest.next();
    if (next !== undefined) {
      insert(heads, { tenant: owner, name: addressOf(next.id).name, item: next, rest });
    }
    if (taken % STEP === 0) await setImmediate();
  }
}

/** The newest document of a tenant that is not yielded yet. */
interface Head {
  readonly tenant: string;
  readonly name: string;
  /** The document and those after it. undefined before they are read. */
  readonly item?: Listed;
  readonly rest?: AsyncGenerator<Listed, void>;
}

/** Returns the start of a listing that begins with a document. An id with a NUL sorts directly after that id. */
function from(kind: string, tenant: string, name: string): string {
  return `${actorId({ kind, tenant, name })}\0`;
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

/** Returns the newest document below `before` of each tenant that has one, the newest last. */
async function newestOfTenants(store: Store, { kind, states, before }: NewestQuery): Promise<Head[]> {
  const newest = new Map<string, string>();
  for (const state of statesOf(states)) {
    const tenants: string[] = [];
    const note = (tenant: string, name: string): void => {
      if (name > (newest.get(tenant) ?? '')) newest.set(tenant, name);
    };
    for await (const { tenant, name } of lastOfTenants(store, { kind, state })) {
      if (before === undefined || name < before) note(tenant, name);
      else tenants.push(tenant);
    }
    await mapInBatches(tenants, ASKED, async (tenant) => {
      const after = actorId({ kind, tenant, name: before! });
      const query = { kind, tenant, state, after, descending: true, limit: 1 };
      for (const { id } of (await store.outline(query)).items) note(tenant, addressOf(id).name);
    });
  }
  return [...newest]
    .map(([tenant, name]) => ({ tenant, name }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Yields the documents of a tenant, the newest first. */
async function* ofTenant(
  store: Store,
  { kind, states }: NewestQuery,
  tenant: string,
  begin: string | undefined,
): AsyncGenerator<Listed, void> {
  const query = { kind, tenant, descending: true };
  let after = begin;
  for (let limit = READ.first; ; limit = Math.min(2 * limit, READ.most)) {
    // The embedded store reads all states at one moment: no document that changes its state is missed.
    const pages = await Promise.all(
      statesOf(states).map((state) => store.list({ ...query, state, after, limit })),
    );
    // A cut page hides documents below its end.
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
