import { setImmediate } from 'node:timers/promises';
import { getLastVersion } from 'lmdb';
import { idRange } from '../id-range.js';
import type { IdRange } from '../id-range.js';
import {
  behindQueue,
  decodeHead,
  HEAD_BYTES,
  idOfWakeKey,
  NO_COLD,
  partsOfQueueKey,
  queueKey,
  stateKey,
  usualKey,
  wakeKey,
} from './tables.js';
import type { Tables } from './tables.js';
import { PAGE_CHARACTERS } from '../port.js';
import type { Listed, ListPage, ListQuery, Outline, Queued, QueueHead, Stored } from '../port.js';

/** The document of an id, or undefined. */
export function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.hot.getEntry(id);
  if (entry === undefined) return undefined;
  const { textAt, ...head } = decodeHead(entry.value);
  return {
    ...head,
    revision: entry.version!,
    hot: textAt === undefined ? longText(tables, id) : entry.value.slice(textAt),
    cold: tables.cold.get(id) ?? NO_COLD,
  };
}

function longText({ long, longIds }: Tables, id: string): string {
  longIds.add(id);
  return long.get(id)!;
}

/** A page of documents. */
export async function list(tables: Tables, query: ListQuery): Promise<ListPage<Listed>> {
  const items: Listed[] = [];
  let characters = 0;
  const goesOn = await find(tables, query, (id) => {
    if (characters > PAGE_CHARACTERS) return false;
    const document = load(tables, id)!;
    items.push({ ...document, id });
    characters += document.hot.length + document.cold.length;
    return true;
  });
  return { items, more: !goesOn || items.length === query.limit };
}

/** As `list`, of each document no more than its beginning being made a string. */
export async function outline(tables: Tables, query: ListQuery): Promise<ListPage<Outline>> {
  const items: Outline[] = [];
  await find(tables, query, (id) => {
    items.push(outlineOf(tables, id));
    return true;
  });
  return { items, more: items.length === query.limit };
}

function outlineOf(tables: Tables, id: string): Outline {
  const head = tables.hot.getBinaryFast(id)!.toString('utf8', 0, HEAD_BYTES);
  const revision = getLastVersion();
  const { state, wakeAt } = decodeHead(head);
  return { id, revision, state, wakeAt };
}

/** Takes a document that was found; false where there is no room for it. */
type Take = (id: string) => boolean;

/**
 * Gives each id that a query finds to `take`, at once: between two awaits all that is read is as of one moment, and a
 * moment later the document may be gone. False where `take` wanted no more.
 */
async function find(tables: Tables, query: ListQuery, take: Take): Promise<boolean> {
  const range = idRange(query);
  if (range === undefined) return true;
  const { start, end } = range;
  const { kind, state, limit } = query;
  if (state === undefined) return [...tables.hot.getKeys({ start, end, limit })].every(take);
  if (tables.usual.get(usualKey(kind, state)) !== undefined) return findUsual(tables, query, range, take);
  const keys = tables.states.getKeys({ start: stateKey(state, start), end: stateKey(state, end), limit });
  return [...keys].map((key) => key.slice(state.length + 1)).every(take);
}

/** Documents looked at before others get their turn. */
const STEP = 500;

/** As `find`, for a state that has no index: goes through all documents of the range. */
async function findUsual(
  tables: Tables,
  { state, limit }: ListQuery,
  { start, end }: IdRange,
  take: Take,
): Promise<boolean> {
  let left = limit;
  for (let from = start; ;) {
    const ids = [...tables.hot.getKeys({ start: from, end, limit: STEP })];
    const found = ids.filter((id) => outlineOf(tables, id).state === state).slice(0, left);
    if (!found.every(take)) return false;
    left -= found.length;
    if (left === 0 || ids.length < STEP) return true;
    from = `${ids.at(-1)!}\0`;
    await setImmediate();
  }
}

/** Ids of documents in no queue to be woken at or before `now`, ms since the epoch; the longest overdue first. */
export function due(tables: Tables, now: number, limit: number): string[] {
  const keys = tables.wakes.getKeys({ start: wakeKey(0), end: wakeKey(Math.floor(now) + 1), limit });
  return [...keys].map(idOfWakeKey);
}

/** The queues behind `after`, in the order of their names: each is one seek. */
export function queues(tables: Tables, after: string | undefined, limit: number): QueueHead[] {
  const heads: QueueHead[] = [];
  let start = after === undefined ? '' : behindQueue(after);
  while (heads.length < limit) {
    const [key] = tables.queues.getKeys({ start, limit: 1 });
    if (key === undefined) break;
    const { queue, wakeAt } = partsOfQueueKey(key);
    heads.push({ queue, wakeAt });
    start = behindQueue(queue);
  }
  return heads;
}

/** The documents of a queue to be woken at or behind `from`, ms since the epoch; the earliest first. */
export function queued(tables: Tables, queue: string, from: number, limit: number): Queued[] {
  const range = { start: queueKey(queue, Math.max(0, Math.ceil(from))), end: behindQueue(queue), limit };
  return [...tables.queues.getKeys(range)].map((key) => {
    const { id, wakeAt } = partsOfQueueKey(key);
    return { id, wakeAt };
  });
}
