import { getLastVersion } from 'lmdb';
import { idRange } from './id-range.js';
import { decodeHot, HEAD_BYTES, idOfWakeKey, NO_COLD, stateKey, wakeKey } from './lmdb-tables.js';
import type { Tables } from './lmdb-tables.js';
import { PAGE_CHARACTERS } from './port.js';
import type { Listed, ListPage, ListQuery, Outline, Stored } from './port.js';

/** The document of an id, or undefined. */
export function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.hot.getEntry(id);
  if (entry === undefined) return undefined;
  return decodeHot(entry.value, entry.version!, tables.cold.get(id) ?? NO_COLD);
}

/** A page of documents, all as of one moment. */
export function list(tables: Tables, query: ListQuery): ListPage<Listed> {
  const items: Listed[] = [];
  const ids = listedIds(tables, query);
  let characters = 0;
  for (const id of ids) {
    if (characters > PAGE_CHARACTERS) return { items, more: true };
    const document = load(tables, id)!;
    items.push({ ...document, id });
    characters += document.hot.length + document.cold.length;
  }
  return { items, more: ids.length === query.limit };
}

/** As `list`, of each document no more than its beginning being made a string. */
export function outline(tables: Tables, query: ListQuery): ListPage<Outline> {
  const ids = listedIds(tables, query);
  const items = ids.map((id): Outline => {
    const head = tables.hot.getBinaryFast(id)!.toString('utf8', 0, HEAD_BYTES);
    const { revision, state, wakeAt } = decodeHot(head, getLastVersion(), '');
    return { id, revision, state, wakeAt };
  });
  return { items, more: ids.length === query.limit };
}

function listedIds(tables: Tables, query: ListQuery): string[] {
  const range = idRange(query);
  if (range === undefined) return [];
  const { start, end } = range;
  const { state, limit } = query;
  if (state === undefined) return [...tables.hot.getKeys({ start, end, limit })];
  const keys = tables.states.getKeys({ start: stateKey(state, start), end: stateKey(state, end), limit });
  return [...keys].map((key) => key.slice(state.length + 1));
}

/** Ids of documents to be woken at or before `now`, ms since the epoch; the longest overdue first. */
export function due(tables: Tables, now: number, limit: number): string[] {
  const keys = tables.wakes.getKeys({ start: wakeKey(0), end: wakeKey(Math.floor(now) + 1), limit });
  return [...keys].map(idOfWakeKey);
}
