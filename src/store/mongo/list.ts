import type { Collection, Filter, FindOptions, IndexDescription } from 'mongodb';
import { idRange, precedes } from '../id-range.js';
import type { lruCache } from '../../system/lru-cache.js';
import { Tallies } from '../tallies.js';
import { type ActorDocument, listed, timeOf } from './document.js';
import {
  type Listed,
  type ListPage,
  type ListQuery,
  NO_RARE,
  type Ordered,
  type OrderedQuery,
  type Outline,
  PAGE_CHARACTERS,
  type Queued,
  type QueueHead,
  type Tally,
  type TallyQuery,
} from '../port.js';

const NOTHING = { items: [], more: false };

/** By listing: the first value after its first page when that was last read. */
export type PageEnds = ReturnType<typeof lruCache<string>>;

/** Lists a page of documents: see `Store.list`. The server sends up to 16 MB at a time. */
export async function list(
  actors: Collection<ActorDocument>,
  ends: PageEnds,
  query: ListQuery,
): Promise<ListPage<Listed>> {
  const range = idRange(query);
  if (range === undefined) return NOTHING;
  const { kind, tenant, state, after, descending, limit, frequentOnly = false } = query;
  const options = { sort: orderOf(query), ...(frequentOnly && { projection: { rare: 0 } }) };
  const isFirst = state !== undefined && after === undefined && descending !== true;
  const key = isFirst ? JSON.stringify([kind, tenant, state]) : undefined;
  const filters = splitAt(ends, key, range.start, range.end, (_id) => ({
    _id,
    ...(state !== undefined && { kind, state }),
  }));
  const { items, isCut } = await read(actors, filters, limit, options, (document) =>
    listed(frequentOnly ? { ...document, rare: NO_RARE } : document),
  );
  // No id holds a NUL: this is the first text after the id.
  remember(ends, key, items.length === limit ? `${items.at(-1)!.id}\0` : undefined);
  return { items, more: isCut || items.length === limit };
}

/** A range of values of a field. */
interface Bounds {
  readonly $gte: string;
  readonly $lt: string;
}

/**
 * Returns the filters of a listing, one after the other: up to the end of its first page when it was last read, then the rest. A
 * server that sorts all matches before it applies a limit would otherwise read all documents for the first page.
 */
function splitAt(
  ends: PageEnds,
  key: string | undefined,
  start: string,
  end: string,
  filter: (bounds: Bounds) => Filter<ActorDocument>,
): readonly Filter<ActorDocument>[] {
  const known = key === undefined ? undefined : ends.get(key);
  if (known === undefined) return [filter({ $gte: start, $lt: end })];
  return [filter({ $gte: start, $lt: known }), filter({ $gte: known, $lt: end })];
}

function remember(ends: PageEnds, key: string | undefined, end: string | undefined): void {
  if (key === undefined) return;
  if (end === undefined) ends.delete(key);
  else ends.set(key, end);
}

/** Reads the documents of some filters, one after the other, up to a limit. `isCut`: their texts filled the page before. */
async function read<T extends Listed>(
  actors: Collection<ActorDocument>,
  filters: readonly Filter<ActorDocument>[],
  limit: number,
  options: FindOptions,
  shown: (document: ActorDocument) => T,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  let characters = 0;
  for (const filter of filters) {
    if (items.length === limit) break;
    for await (const document of actors.find(filter, { ...options, limit: limit - items.length })) {
      if (characters > PAGE_CHARACTERS) return { items, isCut: true };
      const item = shown(document);
      items.push(item);
      characters += item.frequent.length + item.rare.length;
    }
  }
  return { items, isCut: false };
}

/** As `list`, without the texts, which the server does not send. */
export async function outline(
  actors: Collection<ActorDocument>,
  query: ListQuery,
): Promise<ListPage<Outline>> {
  const filter = filterOf(query);
  if (filter === undefined) return NOTHING;
  const found = actors
    .find(filter, { sort: orderOf(query), limit: query.limit })
    .project<Pick<ActorDocument, '_id' | 'rev' | 'v' | 'state' | 'wakeAt' | 'turnAt'>>({
      rev: 1,
      v: 1,
      state: 1,
      wakeAt: 1,
      turnAt: 1,
    });
  const items = await found
    .map(({ _id: id, rev, v, state, ...times }): Outline => ({
      id,
      revision: rev,
      version: v,
      state,
      wakeAt: timeOf(times),
    }))
    .toArray();
  return { items, more: items.length === query.limit };
}

/** The indexes that cover the order of listings by place. */
const ORDER_INDEXES = [
  { kind: 1, order: 1, _id: 1 },
  { kind: 1, tenant: 1, order: 1, _id: 1 },
] as const;

/** Lists a page of documents by place: see `Store.ordered`. */
export async function ordered(
  actors: Collection<ActorDocument>,
  ends: PageEnds,
  { kind, tenant, from, to, after, limit }: OrderedQuery,
): Promise<ListPage<Ordered>> {
  const stem = { kind, ...(tenant !== undefined && { tenant }) };
  const key = after === undefined ? JSON.stringify([kind, tenant, from, to]) : undefined;
  const isInside = after !== undefined && after.order >= from;
  // Two ranges, which every server reads by the index: the rest of one order, then the orders after it.
  const filters: readonly Filter<ActorDocument>[] = isInside
    ? [
        { ...stem, order: after.order, _id: { $gt: after.id } },
        { ...stem, order: { $gt: after.order, $lt: to } },
      ]
    : splitAt(ends, key, from, to, (order) => ({ ...stem, order }));
  const options = { sort: { order: 1, _id: 1 } } as const;
  const { items, isCut } = await read(actors, filters, limit, options, (document) => ({
    ...listed(document),
    order: document.order!,
  }));
  // The first text after the order: no printable character sorts before `!`.
  remember(ends, key, items.length === limit ? `${items.at(-1)!.order}!` : undefined);
  return { items, more: isCut || items.length === limit };
}

/** The index that covers the counts of places. */
const TALLY_INDEX = { kind: 1, tenant: 1, tags: 1, _id: 1 } as const;

/** Counts what documents count as: see `Store.tally`. The server counts those with the same tags together. */
export async function tally(actors: Collection<ActorDocument>, query: TallyQuery): Promise<readonly Tally[]> {
  const { kind, tenant } = query;
  const groups = actors.aggregate<{ _id: string; count: number; id: string }>([
    { $match: { kind, tenant: tenant ?? { $exists: true } } },
    { $group: { _id: '$tags', count: { $sum: 1 }, id: { $first: '$_id' } } },
  ]);
  const tallies = new Tallies();
  for await (const { _id: tags, count, id } of groups) tallies.add(id, tags, count);
  return tallies.of(query);
}

/** Counts the documents that a query finds: see `Store.count`. An index covers the query. */
export async function count(actors: Collection<ActorDocument>, query: ListQuery): Promise<number> {
  const filter = filterOf(query);
  return filter === undefined ? 0 : actors.countDocuments(filter, { limit: query.limit });
}

/** Index entries read by one query for the next queues: as many as several short queues have. */
const AHEAD = 20;

/** The index that covers the queries of queues. */
const QUEUE_INDEX = { queue: 1, turnAt: 1, _id: 1 } as const;

/**
 * Lists queues: see `Store.queues`. A server that sorts all matches before it applies a limit would read every document of a long
 * queue, so each query of several queues ends before the next long one, whose first document is read by itself.
 */
export async function queues(
  actors: Collection<ActorDocument>,
  starts: QueueStarts,
  after: string | undefined,
  limit: number,
): Promise<QueueHead[]> {
  const heads: QueueHead[] = [];
  let last = after ?? '';
  for (const long of [...longQueues(starts, last), undefined]) {
    heads.push(...(await queuesBetween(actors, last, long, limit - heads.length)));
    if (long === undefined || heads.length === limit) break;
    const [first] = await queued(actors, starts, long, 0, 1);
    if (first !== undefined) heads.push({ queue: long, wakeAt: first.wakeAt });
    last = long;
  }
  return heads.slice(0, limit);
}

/** Returns the known long queues after a name, in the order of the server. */
function longQueues(starts: QueueStarts, after: string): string[] {
  return [...starts.keys()]
    .filter((name) => precedes(after, name))
    .toSorted((a, b) => (precedes(a, b) ? -1 : 1));
}

/** Lists the queues between two names; without `end`, all after `start`. Each query starts after the last queue found, however long that is. */
async function queuesBetween(
  actors: Collection<ActorDocument>,
  start: string,
  end: string | undefined,
  limit: number,
): Promise<QueueHead[]> {
  const heads: QueueHead[] = [];
  for (let last = start; heads.length < limit; last = heads.at(-1)!.queue) {
    const queue = { $gt: last, ...(end !== undefined && { $lt: end }) };
    const entries = await actors
      .find({ queue, turnAt: { $exists: true } }, { sort: QUEUE_INDEX, limit: AHEAD })
      .project<{ queue: string; turnAt: number }>({ _id: 0, queue: 1, turnAt: 1 })
      .toArray();
    for (const { queue, turnAt } of entries) {
      if (heads.length < limit && heads.at(-1)?.queue !== queue) heads.push({ queue, wakeAt: turnAt });
    }
    if (entries.length < AHEAD) break;
  }
  return heads;
}

/** The indexes of the collection. */
export const INDEXES: IndexDescription[] = [
  { key: { kind: 1, state: 1, _id: 1 } },
  { key: { wakeAt: 1 }, partialFilterExpression: { wakeAt: { $exists: true } } },
  ...ORDER_INDEXES.map((key) => ({ key, partialFilterExpression: { order: { $exists: true } } })),
  { key: TALLY_INDEX, partialFilterExpression: { tenant: { $exists: true } } },
  { key: QUEUE_INDEX, partialFilterExpression: { turnAt: { $exists: true } } },
];

/** By long queue: the `wakeAt` of its first document when it was last read, ms since the epoch. */
export type QueueStarts = ReturnType<typeof lruCache<number>>;

/** Ends of the time windows that are read one after the other, counted from the start of a long queue, ms. */
const WINDOWS = [64, 512, 4_096, 32_768, 262_144, Infinity] as const;

/**
 * Lists the documents in a queue: see `Store.queued`. A queue is long if it had more documents than were wanted when it was last read.
 * Of a long one, narrow windows of time are read: a server that sorts all matches before it applies a limit would otherwise read
 * the whole queue.
 */
export async function queued(
  actors: Collection<ActorDocument>,
  starts: QueueStarts,
  queue: string,
  from: number,
  limit: number,
): Promise<Queued[]> {
  const wanted = Math.max(limit, AHEAD);
  const start = starts.get(queue);
  const ends = start === undefined ? [Infinity] : WINDOWS.map((end) => start + end);
  const found: Queued[] = [];
  let lower = from;
  for (const upper of ends) {
    if (upper <= lower) continue;
    found.push(...(await queuedBetween(actors, queue, [lower, upper], wanted - found.length)));
    if (found.length === wanted) break;
    lower = upper;
  }
  if (from === 0) {
    if (found.length < wanted) starts.delete(queue);
    else starts.set(queue, found[0]!.wakeAt);
  }
  return found.slice(0, limit);
}

async function queuedBetween(
  actors: Collection<ActorDocument>,
  queue: string,
  [lower, upper]: readonly [number, number],
  limit: number,
): Promise<Queued[]> {
  const turnAt = upper === Infinity ? { $gte: lower } : { $gte: lower, $lt: upper };
  const found = actors
    .find({ queue, turnAt }, { sort: QUEUE_INDEX, limit })
    .project<{ _id: string; turnAt: number }>({ turnAt: 1 });
  return (await found.toArray()).map(({ _id: id, turnAt: wakeAt }) => ({ id, wakeAt }));
}

function orderOf({ descending = false }: ListQuery) {
  return { _id: descending ? -1 : 1 } as const;
}

function filterOf(query: ListQuery): Filter<ActorDocument> | undefined {
  const range = idRange(query);
  if (range === undefined) return undefined;
  const inRange: Filter<ActorDocument> = { _id: { $gte: range.start, $lt: range.end } };
  return query.state === undefined ? inRange : { ...inRange, kind: query.kind, state: query.state };
}
