import type { Database, RootDatabase } from 'lmdb';
import { UNNUMBERED } from '../format.js';
import type { NextDocument, Place } from '../port.js';
import { sortableTime, TIME_DIGITS } from '../sortable-time.js';

/** The tables of one environment: a change of several of them is one transaction. */
export type Tables = ReturnType<typeof openTables>;

/** Keys are UTF-8. lmdb's own encoding of strings treats control characters of short and of long keys differently. */
const keyEncoder = {
  writeKey(key: string, target: Buffer, start: number): number {
    for (let i = 0; i < key.length; i += 1) {
      const unit = key.charCodeAt(i);
      if (unit > 0x7f) return start + target.write(key, start);
      target[start + i] = unit;
    }
    return start + key.length;
  },
  readKey(source: Buffer, start: number, end: number): string {
    return source.toString('utf8', start, end);
  },
};

const OPTIONS = { encoding: 'string', keyEncoder } as const;

/** Returns the format of an environment; undefined if it is empty. Creates nothing. */
export function formatIn(environment: RootDatabase): string | undefined {
  // lmdb returns undefined for a missing table, and does not say so in its types.
  const existing = (name: string, useVersions: boolean): Database<string, string> | undefined =>
    environment.openDB<string, string>(name, { ...OPTIONS, useVersions, create: false } as typeof OPTIONS);
  // `hot` is the name in format 1 and 2.
  const isEmpty = ['frequent', 'hot'].every(
    // Not getKeysCount: it walks the whole table, whatever its limit.
    (name) => [...(existing(name, true)?.getKeys({ start: ' ', limit: 1 }) ?? [])].length === 0,
  );
  return existing('numbers', false)?.get(FORMAT) ?? (isEmpty ? undefined : UNNUMBERED);
}

/** Opens the tables, and creates those that are missing. */
export function openTables(environment: RootDatabase) {
  const table = (name: string, useVersions: boolean): Database<string, string> =>
    environment.openDB<string, string>(name, { ...OPTIONS, useVersions });
  return {
    /** id → promoted fields, and the frequently written text unless it is long; the entry's version is the revision. */
    frequent: table('frequent', true),
    /** id → frequently written text of more than `LONG` characters: a commit that leaves it as it is writes none of it. */
    long: table('long', false),
    /** Ids known to have an entry in `long`. */
    longIds: new Set<string>(),
    /** id → rarely written text, without entries for `NO_RARE`. */
    rare: table('rare', false),
    /** `stateKey` of every document, but for those in an unindexed state. */
    states: table('states', false),
    /** `unindexedKey` of every unindexed state. */
    unindexed: table('unindexed', false),
    /** Keys of `unindexed` known to be stored. */
    marked: new Set<string>(),
    /** `wakeKey` of every document that has a `wakeAt` and is in no queue. */
    wakes: table('wakes', false),
    /** id → `placeText` of every document that has a place. */
    places: table('places', false),
    /** `countKey` → how many documents in `places` have that line in their tags, a blank, and the id of one. */
    counts: table('counts', false),
    /** `orderKey` of every document whose place has an order, for its kind and for its tenant. */
    orders: table('orders', false),
    /** `queueKey` of every document in a queue. */
    queues: table('queues', false),
    /**
     * `RESERVED` → the highest number reserved for revisions; `FORMAT` → the store's format; `KEPT_TIME` → ms since the
     * epoch.
     */
    numbers: table('numbers', false),
  };
}

/** Keys in `numbers`. */
export const RESERVED = 'revisions';
export const FORMAT = 'format';
export const TRIAL = 'trial';
export const KEPT_TIME = 'time';

/** Returns the key of a document in `states`: by state, then id. */
export function stateKey(state: string, id: string): string {
  return `${state}\0${id}`;
}

/** Returns the key of a state in `unindexed`. */
export function unindexedKey(kind: string, state: string): string {
  return `${kind}/${state}`;
}

/** Returns the key of a document in `wakes`: by time, then id. A time alone sorts before its documents. */
export function wakeKey(wakeAt: number, id = ''): string {
  return `${sortableTime(wakeAt)}${id}`;
}

/** Returns the id in a key of `wakes`. */
export function idOfWakeKey(key: string): string {
  return key.slice(TIME_DIGITS);
}

/** Returns the key of a document in `queues`: by queue, then time, then id. */
export function queueKey(queue: string, wakeAt: number, id = ''): string {
  return `${queue}\0${wakeKey(wakeAt, id)}`;
}

/** Returns a key after all documents of a queue and before those of the next queue; no name holds a NUL. */
export function afterQueue(queue: string): string {
  return `${queue}\u0001`;
}

/** Returns the parts of a key of `queues`. */
export function partsOfQueueKey(key: string): { queue: string; wakeAt: number; id: string } {
  const end = key.indexOf('\0');
  const time = end + 1 + TIME_DIGITS;
  return { queue: key.slice(0, end), wakeAt: Number(key.slice(end + 1, time)), id: key.slice(time) };
}

/**
 * Returns the key of a document in `orders`. `stem`: its kind, or its kind and tenant with a slash between. `rest`: its id
 * without its tenant's stem.
 */
export function orderKey(stem: string, order: string, rest = ''): string {
  return `${stem}\0${order}\0${rest}`;
}

/** Returns the key of a line of tags in `counts`. `scope`: a kind, or a kind and a tenant with a slash between. */
export function countKey(scope: string, tag: string): string {
  return `${scope}\0${tag}`;
}

/** Returns a place as `places` has it. */
export function placeText({ order, tags }: Place): string {
  return `${order ?? ''}\0${tags}`;
}

/** The inverse of `placeText`. */
export function placeOfText(text: string): Place {
  const end = text.indexOf('\0');
  return { order: end === 0 ? undefined : text.slice(0, end), tags: text.slice(end + 1) };
}

/** Bytes of an entry of `frequent` that hold its version, times, lengths and state, at their longest. */
export const HEAD_BYTES = 320;

/** Maximum length of a text in an entry of `frequent`, characters: rewriting so few costs less than one more tree. */
export const LONG = 16_384;

/**
 * Returns an entry of `frequent`: version, `^` if it has a place, blank, `wakeAt` or nothing, blank, length of the state, `+` and
 * length of the queue if it has one, `~` if the text is in `long`, blank, state, queue, text.
 */
export function encodeFrequent(
  next: Omit<NextDocument, 'frequent' | 'rare' | 'place'>,
  text: string | undefined,
  hasPlace: boolean,
): string {
  const { version, wakeAt = '', state, queue } = next;
  const lengths = queue === undefined ? state.length : `${state.length}+${queue.length}`;
  const start = `${version}${hasPlace ? '^' : ''} ${wakeAt} ${lengths}`;
  return text === undefined ? `${start}~ ${state}${queue ?? ''}` : `${start} ${state}${queue ?? ''}${text}`;
}

/** Returns the promoted fields of an entry of `frequent`; its first `HEAD_BYTES` are enough but for the queue. */
export function decodeHead(entry: string) {
  const first = entry.indexOf(' ');
  const second = entry.indexOf(' ', first + 1);
  const third = entry.indexOf(' ', second + 1);
  const wakeAt = entry.slice(first + 1, second);
  const isLong = entry[third - 1] === '~';
  const lengths = entry.slice(second + 1, isLong ? third - 1 : third);
  const plus = lengths.indexOf('+');
  const queueAt = third + 1 + Number(plus < 0 ? lengths : lengths.slice(0, plus));
  const textAt = plus < 0 ? queueAt : queueAt + Number(lengths.slice(plus + 1));
  const hasPlace = entry[first - 1] === '^';
  return {
    version: Number(entry.slice(0, hasPlace ? first - 1 : first)),
    hasPlace,
    state: entry.slice(third + 1, queueAt),
    wakeAt: wakeAt === '' ? undefined : Number(wakeAt),
    queue: plus < 0 ? undefined : entry.slice(queueAt, textAt),
    /** Index at which the text begins in the entry; undefined: the text is in `long`. */
    textAt: isLong ? undefined : textAt,
  };
}
