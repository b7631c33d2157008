import { setImmediate } from 'node:timers/promises';
import { idRange } from '../id-range.js';
import type { ListQuery } from '../port.js';
import { outline } from './read.js';
import { stateKey, type Tables, unindexedKey } from './tables.js';

/** Maximum number of entries counted in one turn of the event loop, which takes less than a millisecond. */
const STEP = 20_000;

/** Counts the documents that a query finds: see `Store.count`. */
export async function count(tables: Tables, query: ListQuery): Promise<number> {
  const range = idRange(query);
  if (range === undefined) return 0;
  const { kind, state, limit } = query;
  if (state !== undefined && tables.unindexed.get(unindexedKey(kind, state)) !== undefined)
    return (await outline(tables, query)).items.length;
  const table = state === undefined ? tables.frequent : tables.states;
  const keyOf = (id: string): string => (state === undefined ? id : stateKey(state, id));
  const end = keyOf(range.end);
  let counted = 0;
  for (let start = keyOf(range.start); ;) {
    const step = Math.min(STEP, limit - counted);
    const [next] = table.getKeys({ start, end, offset: step, limit: 1 });
    if (next === undefined) return counted + Math.min(step, table.getKeysCount({ start, end }));
    counted += step;
    if (counted === limit) return counted;
    start = next;
    await setImmediate();
  }
}
