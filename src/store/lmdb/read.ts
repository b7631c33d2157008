import { setImmediate } from 'node:timers/promises';
import { getLastVersion } from 'lmdb';
import { idRange, type IdRange } from '../id-range.js';
import {
  afterQueue,
  decodeHead,
  HEAD_BYTES,
  idOfWakeKey,
  orderKey,
  partsOfQueueKey,
  placeOfText,
  queueKey,
  stateKey,
  type Tables,
  unindexedKey,
  wakeKey,
} from './tables.js';
import {
  addressOf,
  type Listed,
  type ListPage,
  type ListQuery,
  NO_RARE,
  type Ordered,
  type OrderedQuery,
  type Outline,
  PAGE_CHARACTERS,
  type Place,
  type Queued,
  type QueueHead,
  type Stored,
} from '../port.js';

/** Returns the document of an id with its place, or undefined. */
export function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.frequent.getEntry(id);
  if (entry === undefined) return undefined;
  const document = documentIn(tables, id, entry);
  if (!decodeHead(entry.value).hasPlace) return document;
  // Not a spread: V8 makes a new hidden class for each object that has a further member after a spread.
  return Object.assign(document, { place: new StoredPlace(tables, id) });
}

/** As `load`, with the place as it is at the moment of the tables. */
export function loadWithPlace(tables: Tables, id: string): Stored | undefined {
  const document = load(tables, id);
  if (document?.place === undefined) return document;
  return Object.assign(document, { place: placeOfText(tables.places.get(id)!) });
}

/**
 * The place of a document that is loaded, read once it is needed: nearly all commits leave it as it is. A commit of a later
 * revision than the loaded one may have changed it. Then a commit on top of the loaded one is lost.
 */
class StoredPlace implements Place {
  #found: Place | undefined;

  constructor(
    private readonly tables: Tables,
    private readonly id: string,
  ) {}

  get order(): string | undefined {
    return this.#place.order;
  }

  get tags(): string {
    return this.#place.tags;
  }

  get #place(): Place {
    return (this.#found ??= placeOfText(this.tables.places.get(this.id) ?? '\0'));
  }
}

/** Returns a document without its place; with `frequentOnly` without its rarely written text. */
function documentIn(
  tables: Tables,
  id: string,
  entry: { readonly value: string; readonly version?: number },
  frequentOnly = false,
): Stored {
  const { version, state, wakeAt, queue, textAt } = decodeHead(entry.value);
  return {
    version,
    state,
    wakeAt,
    queue,
    revision: entry.version!,
    frequent: textAt === undefined ? longText(tables, id) : entry.value.slice(textAt),
    rare: (frequentOnly ? undefined : tables.rare.get(id)) ?? NO_RARE,
  };
}

function longText({ long, longIds }: Tables, id: string): string {
  longIds.add(id);
  return long.get(id)!;
}

/** Lists a page of documents: see `Store.list`. */
export async function list(tables: Tables, query: ListQuery): Promise<ListPage<Listed>> {
  const items: Listed[] = [];
  let characters = 0;
  const goesOn = await find(tables, query, (id) => {
    if (characters > PAGE_CHARACTERS) return false;
    const document = documentIn(tables, id, tables.frequent.getEntry(id)!, query.frequentOnly);
    items.push({ ...document, id });
    characters += document.frequent.length + document.rare.length;
    return true;
  });
  return { items, more: !goesOn || items.length === query.limit };
}

/** Lists a page of documents by place: see `Store.ordered`. */
export function ordered(tables: Tables, query: OrderedQuery): ListPage<Ordered> {
  const { kind, tenant, from, to, after, limit } = query;
  const stem = tenant === undefined ? kind : `${kind}/${tenant}`;
  const prefix = tenant === undefined ? '' : `${stem}/`;
  const first = orderKey(stem, from);
  // A NUL after an id sorts directly after that id.
  const next =
    after === undefined ? first : `${orderKey(stem, after.order, after.id.slice(prefix.length))}\0`;
  const start = next > first ? next : first;
  const items: Ordered[] = [];
  let characters = 0;
  for (const key of tables.orders.getKeys({ start, end: orderKey(stem, to), limit })) {
    if (characters > PAGE_CHARACTERS) return { items, more: true };
    const at = stem.length + 1;
    const orderEnd = key.indexOf('\0', at);
    const id = prefix + key.slice(orderEnd + 1);
    const document = documentIn(tables, id, tables.frequent.getEntry(id)!);
    items.push({ ...document, id, order: key.slice(at, orderEnd) });
    characters += document.frequent.length + document.rare.length;
  }
  return { items, more: items.length === limit };
}

/** As `list`, without the texts: only the beginning of each document becomes a string. */
export async function outline(tables: Tables, query: ListQuery): Promise<ListPage<Outline>> {
  const items: Outline[] = [];
  await find(tables, query, (id) => {
    items.push(outlineOf(tables, id));
    return true;
  });
  return { items, more: items.length === query.limit };
}

function outlineOf(tables: Tables, id: string): Outline {
  const head = tables.frequent.getBinaryFast(id)!.toString('utf8', 0, HEAD_BYTES);
  const revision = getLastVersion();
  const { version, state, wakeAt } = decodeHead(head);
  return { id, revision, version, state, wakeAt };
}

/** Returns the kinds that have documents: see `Store.kinds`. */
export function kinds({ frequent }: Tables): readonly string[] {
  const found: string[] = [];
  for (let start = ' '; ;) {
    const [key] = frequent.getKeys({ start, limit: 1 });
    if (key === undefined) return found;
    const { kind } = addressOf(key);
    found.push(kind);
    // `0` follows the slash: after all documents of the kind.
    start = `${kind}0`;
  }
}

/** Takes a document that was found; returns false if the page has no room for it. */
type Take = (id: string) => boolean;

/**
 * Calls `take` with each id that a query finds, in the same turn of the event loop: lmdb's reads of one turn are of one
 * moment, and later the document may be deleted. Resolves with false if `take` returned false.
 */
async function find(tables: Tables, query: ListQuery, take: Take): Promise<boolean> {
  const range = idRange(query);
  if (range === undefined) return true;
  const { kind, state, limit, descending } = query;
  if (state === undefined) return keysIn(tables.frequent, range, limit, descending).every(take);
  if (tables.unindexed.get(unindexedKey(kind, state)) !== undefined)
    return findUnindexed(tables, query, range, take);
  const ofState = { start: stateKey(state, range.start), end: stateKey(state, range.end) };
  const keys = keysIn(tables.states, ofState, limit, descending);
  return keys.map((key) => key.slice(state.length + 1)).every(take);
}

/** Returns the first keys of a range, or with `descending` its last ones, the last one first. */
function keysIn(
  table: Tables['frequent'],
  { start, end }: IdRange,
  limit: number,
  descending = false,
): readonly string[] {
  if (!descending) return [...table.getKeys({ start, end, limit })];
  const range = { start: end, end: start, exclusiveStart: true, inclusiveEnd: true };
  return [...table.getKeys({ ...range, reverse: true, limit })];
}

/** Documents read in one turn of the event loop. */
const STEP = 500;

/** As `find`, for a state without an index: reads all documents of the range. */
async function findUnindexed(
  tables: Tables,
  { state, limit, descending = false }: ListQuery,
  range: IdRange,
  take: Take,
): Promise<boolean> {
  let left = limit;
  for (let rest = range; ;) {
    const ids = keysIn(tables.frequent, rest, STEP, descending);
    const found = ids.filter((id) => outlineOf(tables, id).state === state).slice(0, left);
    if (!found.every(take)) return false;
    left -= found.length;
    if (left === 0 || ids.length < STEP) return true;
    const last = ids.at(-1)!;
    rest = descending ? { ...rest, end: last } : { ...rest, start: `${last}\0` };
    await setImmediate();
  }
}

/** Lists due documents: see `Store.due`. */
export function due(tables: Tables, now: number, limit: number): string[] {
  const keys = tables.wakes.getKeys({ start: wakeKey(0), end: wakeKey(Math.floor(now) + 1), limit });
  return [...keys].map(idOfWakeKey);
}

/** Lists queues: see `Store.queues`. Each is one seek. */
export function queues(tables: Tables, after: string | undefined, limit: number): QueueHead[] {
  const heads: QueueHead[] = [];
  let start = after === undefined ? '' : afterQueue(after);
  while (heads.length < limit) {
    const [key] = tables.queues.getKeys({ start, limit: 1 });
    if (key === undefined) break;
    const { queue, wakeAt } = partsOfQueueKey(key);
    heads.push({ queue, wakeAt });
    start = afterQueue(queue);
  }
  return heads;
}

/** Lists the documents in a queue: see `Store.queued`. */
export function queued(tables: Tables, queue: string, from: number, limit: number): Queued[] {
  const range = { start: queueKey(queue, Math.max(0, Math.ceil(from))), end: afterQueue(queue), limit };
  return [...tables.queues.getKeys(range)].map((key) => {
    const { id, wakeAt } = partsOfQueueKey(key);
    return { id, wakeAt };
  });
}
