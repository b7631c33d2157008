import { writeCounts } from './counts.js';
import {
  decodeHead,
  encodeFrequent,
  LONG,
  orderKey,
  placeText,
  queueKey,
  stateKey,
  type Tables,
  unindexedKey,
  wakeKey,
} from './tables.js';
import {
  addressOf,
  type Commit,
  type Committed,
  type NextDocument,
  NO_RARE,
  type Place,
  type Promoted,
  Unstorable,
} from '../port.js';

/** The value of index entries, whose keys hold all information; lmdb does not promise to keep empty values. */
const PRESENT = '1';

/**
 * Commits items as one transaction of lmdb, with one wait for the disk; lmdb compares each revision inside it. Resolves
 * once the transaction is on the disk. Rejects with lmdb's error, and then nothing is written. An item that lmdb refuses
 * fails alone. No other call may be under way: see `writeCounts`.
 */
export async function commit(tables: Tables, batch: readonly Commit[]): Promise<Committed[]> {
  let changes: Promise<boolean | Unstorable>[] = [];
  const written = tables.frequent.batch(() => {
    for (const item of batch) markUnindexed(tables, item);
    const refused = new Set<Commit>();
    changes = batch.map((item) => changeOrRefuse(tables, item, refused));
    writeCounts(tables, refused.size === 0 ? batch : batch.filter((item) => !refused.has(item)));
  });
  const [matched] = await Promise.all([Promise.all(changes), written]);
  return matched.map((won) => (won instanceof Unstorable ? won : won ? 'won' : 'lost'));
}

/** Changes a document. An item that lmdb refuses is added to `refused`. */
function changeOrRefuse(tables: Tables, item: Commit, refused: Set<Commit>): Promise<boolean | Unstorable> {
  try {
    return change(tables, item);
  } catch (error) {
    refused.add(item);
    const message = `${item.id} cannot be stored: ${(error as Error).message}`;
    return Promise.resolve(new Unstorable(message, { cause: error }));
  }
}

/** Records that a state has no index, in or before the transaction of its first document: listings depend on it. */
function markUnindexed({ unindexed, marked }: Tables, { id, previous, next }: Commit): void {
  if (next?.unindexed !== true || next.state === previous?.state) return;
  const key = unindexedKey(addressOf(id).kind, next.state);
  if (marked.has(key)) return;
  if (unindexed.get(key) === undefined) void unindexed.put(key, PRESENT);
  else marked.add(key);
}

/** Nearly all commits change nothing but a short frequently written text: those are one conditional write. */
function change(tables: Tables, item: Commit): Promise<boolean> {
  const { frequent } = tables;
  const { id, expected, revision, next } = item;
  const entry = next && entryOf(tables, item, next);
  if (entry === LOST) return Promise.resolve(false);
  if (entry !== undefined && entry.long === KEPT && next?.rare === undefined && keepsIndexes(item)) {
    return frequent.put(id, entry.frequent, revision, expected);
  }
  const write = (): void => writeAll(tables, item, entry);
  return expected === 0 ? frequent.ifNoExists(id, write) : frequent.ifVersion(id, expected, write);
}

/** The part of a commit that concerns the frequently written text. */
interface Entry {
  /** The entry of `frequent`. */
  readonly frequent: string;
  /** The entry of `long`; undefined: none; `KEPT`: as it is. */
  readonly long: string | undefined | typeof KEPT;
}

const KEPT = Symbol('as stored');
const LOST = Symbol('another revision is stored');

function entryOf(
  { frequent, longIds }: Tables,
  { id, expected, previous }: Commit,
  next: NextDocument,
): Entry | typeof LOST {
  const text = next.frequent;
  const hasPlace = (next.place ?? previous?.place) !== undefined;
  if (text === undefined) {
    const stored = frequent.getEntry(id);
    if (stored === undefined || stored.version !== expected) return LOST;
    const { textAt } = decodeHead(stored.value);
    return {
      frequent: encodeFrequent(next, textAt === undefined ? undefined : stored.value.slice(textAt), hasPlace),
      long: KEPT,
    };
  }
  if (text.length > LONG) return { frequent: encodeFrequent(next, undefined, hasPlace), long: text };
  return { frequent: encodeFrequent(next, text, hasPlace), long: longIds.has(id) ? undefined : KEPT };
}

function keepsIndexes(item: Commit): boolean {
  const { previous, next } = item;
  return previous?.state === next?.state && keepsTime(item) && keepsPlace(item);
}

function keepsPlace({ previous, next }: Commit): boolean {
  const place = next?.place;
  if (place === undefined) return next !== undefined || previous?.place === undefined;
  const before = previous?.place;
  return before !== undefined && place.order === before.order && place.tags === before.tags;
}

function keepsTime({ previous, next }: Commit): boolean {
  return previous?.wakeAt === next?.wakeAt && previous?.queue === next?.queue;
}

/** Writes all tables of a commit; runs under lmdb's condition on the revision, all or nothing. */
function writeAll(tables: Tables, commit: Commit, entry: Entry | undefined): void {
  const { id, expected, revision, next } = commit;
  if (next === undefined || entry === undefined) {
    if (expected > 0) {
      void tables.frequent.remove(id);
      void tables.rare.remove(id);
      void tables.long.remove(id);
    }
  } else {
    void tables.frequent.put(id, entry.frequent, revision);
    if (entry.long !== KEPT) writeLong(tables, id, entry.long);
    if (next.rare !== undefined) writeRare(tables, id, next.rare, expected);
  }
  writeIndexes(tables, commit);
}

function writeLong({ long, longIds }: Tables, id: string, text: string | undefined): void {
  if (text !== undefined) {
    longIds.add(id);
    void long.put(id, text);
  } else {
    // A commit that loses has its writers load the document again, which names the id again if the text is long.
    longIds.delete(id);
    void long.remove(id);
  }
}

/** An empty rarely written text has no entry: one tree less to write. */
function writeRare({ rare }: Tables, id: string, text: string, expected: number): void {
  if (text !== NO_RARE) void rare.put(id, text);
  else if (expected > 0) void rare.remove(id);
}

function writeIndexes(tables: Tables, commit: Commit): void {
  const { states } = tables;
  const { id, previous, next } = commit;
  if (previous?.state !== next?.state) {
    if (previous !== undefined) void states.remove(stateKey(previous.state, id));
    if (next !== undefined && next.unindexed !== true) void states.put(stateKey(next.state, id), PRESENT);
  }
  if (!keepsPlace(commit)) writePlace(tables, commit);
  if (keepsTime(commit)) return;
  const before = timeEntry(tables, id, previous);
  if (before !== undefined) void before.table.remove(before.key);
  const after = timeEntry(tables, id, next);
  if (after !== undefined) void after.table.put(after.key, PRESENT);
}

function writePlace({ places, orders }: Tables, { id, previous, next }: Commit): void {
  const [before, after] = [previous?.place, next?.place];
  if (before?.order !== after?.order) {
    if (before !== undefined) for (const key of orderKeys(id, before)) void orders.remove(key);
    if (after !== undefined) for (const key of orderKeys(id, after)) void orders.put(key, PRESENT);
  }
  if (after === undefined) void places.remove(id);
  else void places.put(id, placeText(after));
}

/** Returns the keys of a document in the listings of its kind and of its tenant. */
function orderKeys(id: string, { order }: Place): readonly string[] {
  if (order === undefined) return [];
  const { kind, tenant, name } = addressOf(id);
  return [orderKey(kind, order, id), orderKey(`${kind}/${tenant}`, order, name)];
}

/** Returns the index entry by which a document is found by its time. */
function timeEntry({ wakes, queues }: Tables, id: string, promoted: Promoted | undefined) {
  if (promoted?.wakeAt === undefined) return undefined;
  const { wakeAt, queue } = promoted;
  if (queue === undefined) return { table: wakes, key: wakeKey(wakeAt, id) };
  return { table: queues, key: queueKey(queue, wakeAt, id) };
}
