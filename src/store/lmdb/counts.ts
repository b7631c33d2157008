import { setImmediate } from 'node:timers/promises';
import { getLastVersion } from 'lmdb';
import { scopesOf, tagsOf } from '../tallies.js';
import type { Commit, Place, Tally, TallyQuery } from '../port.js';
import { countKey, placeOfText, type Tables } from './tables.js';

/** How many more, or fewer, documents count as what, by key of `counts`. `id`: of one that has come. */
type Changes = Map<string, { by: number; id: string }>;

/**
 * Writes, in the transaction of some commits, how many documents count as what after those that win. No other transaction may be
 * under way: the counts, and which commits win, follow from what is stored.
 */
export function writeCounts(tables: Tables, commits: readonly Commit[]): void {
  const changing = new Set(commits.filter(changesTags).map(({ id }) => id));
  if (changing.size === 0) return;
  tables.frequent.resetReadTxn();
  const revisions = new Map<string, number>();
  const changes: Changes = new Map();
  for (const commit of commits) {
    const { id, expected, revision, next, previous } = commit;
    if (!changing.has(id)) continue;
    if ((revisions.get(id) ?? revisionOf(tables, id)) !== expected) continue;
    revisions.set(id, next === undefined ? 0 : revision);
    if (changesTags(commit)) replace(changes, id, previous?.place, next?.place);
  }
  apply(tables, changes);
}

function changesTags({ previous, next }: Commit): boolean {
  // The stored place is read only if it is needed.
  if (next !== undefined && next.place === undefined) return false;
  return next?.place?.tags !== previous?.place?.tags;
}

/** Returns the stored revision of a document; 0: it does not exist. */
function revisionOf({ frequent }: Tables, id: string): number {
  return frequent.getBinaryFast(id) === undefined ? 0 : getLastVersion();
}

function replace(changes: Changes, id: string, before: Place | undefined, after: Place | undefined): void {
  add(changes, id, before, -1);
  add(changes, id, after, 1);
}

function add(changes: Changes, id: string, place: Place | undefined, by: number): void {
  for (const tag of tagsOf(place)) {
    for (const scope of scopesOf(id)) {
      const key = countKey(scope, tag);
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { by, id });
      else {
        known.by += by;
        if (by > 0) known.id = id;
      }
    }
  }
}

function apply({ counts }: Tables, changes: Changes): void {
  for (const [key, { by, id }] of changes) {
    if (by === 0) continue;
    const stored = counts.get(key);
    const known = stored === undefined ? { count: 0, id } : countOf(stored);
    if (known.count + by > 0) void counts.put(key, `${known.count + by} ${known.id}`);
    else if (stored !== undefined) void counts.remove(key);
  }
}

/** Returns the parts of a value of `counts`. */
function countOf(text: string): Omit<Tally, 'tag'> {
  const end = text.indexOf(' ');
  return { count: Number(text.slice(0, end)), id: text.slice(end + 1) };
}

/** Sorts after every tag. */
const LAST = '\u{10ffff}';

/** Returns how many documents count as what: see `Store.tally`. */
export function tally({ counts }: Tables, query: TallyQuery): readonly Tally[] {
  const { kind, tenant, prefix = '', after, limit } = query;
  const scope = tenant === undefined ? kind : `${kind}/${tenant}`;
  // A NUL after a tag sorts directly after that tag.
  const start = countKey(scope, after === undefined ? prefix : `${after}\0`);
  const range = { start, end: countKey(scope, prefix + LAST), ...(limit !== undefined && { limit }) };
  return Array.from(counts.getRange(range), ({ key, value }) => ({
    tag: key.slice(scope.length + 1),
    ...countOf(value),
  }));
}

/** Places counted in one transaction, which takes a few milliseconds. */
const STEP = 2_000;

/** Counts all documents with a place, for a store that has no counts yet or only some of them. */
export async function countAll(tables: Tables): Promise<void> {
  const [some] = tables.counts.getKeys({ start: ' ', limit: 1 });
  if (some !== undefined) await tables.counts.clearAsync();
  for (let start = ''; ;) {
    let last: string | undefined;
    const changes: Changes = new Map();
    for (const { key, value } of tables.places.getRange({ start, limit: STEP })) {
      add(changes, key, placeOfText(value), 1);
      last = key;
    }
    if (last === undefined) return;
    await tables.counts.batch(() => apply(tables, changes));
    start = `${last}\0`;
    await setImmediate();
  }
}
