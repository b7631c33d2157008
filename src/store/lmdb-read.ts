import { idRange } from './id-range.js';
import { decodeHot, idOfWakeKey, stateKey, wakeKey } from './lmdb-tables.js';
import type { Tables } from './lmdb-tables.js';
import type { Listed, ListQuery, Stored } from './port.js';

/** The document of an id, or undefined. */
export function load(tables: Tables, id: string): Stored | undefined {
  const entry = tables.hot.getEntry(id);
  return entry === undefined ? undefined : decodeHot(entry.value, entry.version!, tables.cold.get(id) ?? '');
}

/** A page of documents, all as of one moment. */
export function list(tables: Tables, query: ListQuery): Listed[] {
  const found: Listed[] = [];
  for (const id of listedIds(tables, query)) {
    const document = load(tables, id);
    if (document !== undefined) found.push({ ...document, id });
  }
  return found;
}

function listedIds(tables: Tables, query: ListQuery): string[] {
  const { start, end } = idRange(query);
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
