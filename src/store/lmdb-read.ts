import { setImmediate } from 'node:timers/promises';
import { getLastVersion } from 'lmdb';
import { idRange } from './id-range.js';
import type { IdRange } from './id-range.js';
import { decodeHot, HEAD_BYTES, idOfWakeKey, NO_COLD, stateKey, usualKey, wakeKey } from './lmdb-tables.js';
import type { Tables } from './lmdb-tables.js';
import { PAGE_CHARACTERS } from './port.js';
import type { Listed, ListPage, ListQuery, Outline, Stored } from './port.js';

/** The document of an id, or undefined. */
export function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.hot.getEntry(id);
  if (entry === undefined) return undefined;
  return decodeHot(entry.value, entry.version!, tables.cold.get(id) ?? NO_COLD);
}

/** A page of documents. */
export async function list(tables: Tables, query: ListQuery): Promise<ListPage<Listed>> {
  const items: Listed[] = [];
  let characters = 0;
  for await (const ids of listedIds(tables, query)) {
    for (const id of ids) {
      if (characters > PAGE_CHARACTERS) return { items, more: true };
      const document = load(tables, id)!;
      items.push({ ...document, id });
      characters += document.hot.length + document.cold.length;
    }
  }
  return { items, more: items.length === query.limit };
}

/** As `list`, of each document no more than its beginning being made a string. */
export async function outline(tables: Tables, query: ListQuery): Promise<ListPage<Outline>> {
  const items: Outline[] = [];
  for await (const ids of listedIds(tables, query)) items.push(...ids.map((id) => outlineOf(tables, id)));
  return { items, more: items.length === query.limit };
}

function outlineOf(tables: Tables, id: string): Outline {
  const head = tables.hot.getBinaryFast(id)!.toString('utf8', 0, HEAD_BYTES);
  const { revision, state, wakeAt } = decodeHot(head, getLastVersion(), '');
  return { id, revision, state, wakeAt };
}

/**
 * In pieces that are each as of one moment for whoever reads the documents before he awaits anything: lmdb looks at the
 * same moment until its caller's turn is over.
 */
async function* listedIds(tables: Tables, query: ListQuery): AsyncGenerator<readonly string[], void> {
  const range = idRange(query);
  if (range === undefined) return;
  const { start, end } = range;
  const { kind, state, limit } = query;
  if (state === undefined) {
    yield [...tables.hot.getKeys({ start, end, limit })];
  } else if (tables.usual.get(usualKey(kind, state)) === undefined) {
    const keys = tables.states.getKeys({ start: stateKey(state, start), end: stateKey(state, end), limit });
    yield [...keys].map((key) => key.slice(state.length + 1));
  } else {
    yield* idsInState(tables, range, state, limit);
  }
}

/** Documents looked at before others get their turn. */
const STEP = 500;

/** Goes through all documents of a range. */
async function* idsInState(
  tables: Tables,
  { start, end }: IdRange,
  state: string,
  limit: number,
): AsyncGenerator<readonly string[], void> {
  let left = limit;
  for (let from = start; left > 0;) {
    const ids = [...tables.hot.getKeys({ start: from, end, limit: STEP })];
    const found = ids.filter((id) => outlineOf(tables, id).state === state).slice(0, left);
    yield found;
    if (ids.length < STEP) return;
    left -= found.length;
    from = `${ids.at(-1)!}\0`;
    await setImmediate();
  }
}

/** Ids of documents to be woken at or before `now`, ms since the epoch; the longest overdue first. */
export function due(tables: Tables, now: number, limit: number): string[] {
  const keys = tables.wakes.getKeys({ start: wakeKey(0), end: wakeKey(Math.floor(now) + 1), limit });
  return [...keys].map(idOfWakeKey);
}
