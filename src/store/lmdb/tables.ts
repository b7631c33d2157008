import type { Database, RootDatabase } from 'lmdb';
import type { NextDocument } from '../port.js';

/** The tables of one environment: a change of several of them is one transaction. */
export interface Tables {
  /** id → promoted fields, and the hot text unless it is long; the entry's version is the revision. */
  readonly hot: Database<string, string>;
  /** id → hot text of more than `LONG` characters: a commit that leaves it as it is writes none of it. */
  readonly long: Database<string, string>;
  /** Ids known to have an entry in `long`. */
  readonly longIds: Set<string>;
  /** id → cold text; none where it is `NO_COLD`. */
  readonly cold: Database<string, string>;
  /** `stateKey` of every document that is not in a usual state. */
  readonly states: Database<string, string>;
  /** `usualKey` of every kind's usual states. */
  readonly usual: Database<string, string>;
  /** Those keys of `usual` that are known to be stored. */
  readonly marked: Set<string>;
  /** `wakeKey` of every document in no queue that wants to be woken. */
  readonly wakes: Database<string, string>;
  /** `queueKey` of every document that waits in a queue. */
  readonly queues: Database<string, string>;
  /** `RESERVED` → the highest number that is reserved for revisions. */
  readonly numbers: Database<string, string>;
}

/**
 * Keys are the bytes of their UTF-8. lmdb's own encoding of strings is not used, since it treats control characters
 * of short and of long keys differently.
 */
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

/** Opens the tables, making those that are missing. */
export function openTables(environment: RootDatabase): Tables {
  const table = (name: string, useVersions: boolean): Database<string, string> => {
    const options = { encoding: 'string', keyEncoder, useVersions } as const;
    return environment.openDB<string, string>(name, options);
  };
  return {
    hot: table('hot', true),
    long: table('long', false),
    longIds: new Set(),
    cold: table('cold', false),
    states: table('states', false),
    usual: table('usual', false),
    marked: new Set(),
    wakes: table('wakes', false),
    queues: table('queues', false),
    numbers: table('numbers', false),
  };
}

/** The key in `numbers`. */
export const RESERVED = 'revisions';

/** Key of a document in `states`: those of one state are neighbours, in the order of their ids. */
export function stateKey(state: string, id: string): string {
  return `${state}\0${id}`;
}

/** Key of a state in `usual`. */
export function usualKey(kind: string, state: string): string {
  return `${kind}/${state}`;
}

/** Key of a document in `wakes`: in the order of time, then of id. A time alone sorts before all documents of it. */
export function wakeKey(wakeAt: number, id = ''): string {
  return `${String(wakeAt).padStart(TIME_DIGITS, '0')}${id}`;
}

/** The id in a key of `wakes`. */
export function idOfWakeKey(key: string): string {
  return key.slice(TIME_DIGITS);
}

const TIME_DIGITS = 16;

/** Key of a document in `queues`: those of one queue are neighbours, in the order of time, then of id. */
export function queueKey(queue: string, wakeAt: number, id = ''): string {
  return `${queue}\0${wakeKey(wakeAt, id)}`;
}

/** Key behind all documents of a queue, and before those of the queue that follows; no name holds a NUL. */
export function behindQueue(queue: string): string {
  return `${queue}\u0001`;
}

/** The inverse of `queueKey`. */
export function partsOfQueueKey(key: string): { queue: string; wakeAt: number; id: string } {
  const end = key.indexOf('\0');
  const time = end + 1 + TIME_DIGITS;
  return { queue: key.slice(0, end), wakeAt: Number(key.slice(end + 1, time)), id: key.slice(time) };
}

/** The cold text of most documents: an object without members. */
export const NO_COLD = '{}';

/** Within how many bytes an entry of `hot` shows its state: four numbers and a state, the longest that there are. */
export const HEAD_BYTES = 320;

/** Most characters of a hot text that stands in its entry of `hot`: to write so few again costs less than a tree more. */
export const LONG = 16_384;

/** The promoted fields in an entry of `hot`. */
export interface Head {
  readonly version: number;
  readonly state: string;
  readonly wakeAt: number | undefined;
  readonly queue: string | undefined;
  /** Where the text begins in the entry; undefined: the text is in `long`. */
  readonly textAt: number | undefined;
}

/**
 * The entry of `hot`: version, time to wake or nothing, length of the state, `+` and the length of the queue if there is
 * one, `~` if the text is in `long`, each of the three numbers with a blank behind; then state, queue and text.
 */
export function encodeHot(next: Omit<NextDocument, 'hot' | 'cold'>, text: string | undefined): string {
  const { version, wakeAt = '', state, queue } = next;
  const lengths = queue === undefined ? state.length : `${state.length}+${queue.length}`;
  const start = `${version} ${wakeAt} ${lengths}`;
  return text === undefined ? `${start}~ ${state}${queue ?? ''}` : `${start} ${state}${queue ?? ''}${text}`;
}

/** The promoted fields of an entry of `hot`, of which the first `HEAD_BYTES` are enough. */
export function decodeHead(entry: string): Head {
  const first = entry.indexOf(' ');
  const second = entry.indexOf(' ', first + 1);
  const third = entry.indexOf(' ', second + 1);
  const wakeAt = entry.slice(first + 1, second);
  const isLong = entry[third - 1] === '~';
  const lengths = entry.slice(second + 1, isLong ? third - 1 : third);
  const plus = lengths.indexOf('+');
  const queueAt = third + 1 + Number(plus < 0 ? lengths : lengths.slice(0, plus));
  const textAt = plus < 0 ? queueAt : queueAt + Number(lengths.slice(plus + 1));
  return {
    version: Number(entry.slice(0, first)),
    state: entry.slice(third + 1, queueAt),
    wakeAt: wakeAt === '' ? undefined : Number(wakeAt),
    queue: plus < 0 ? undefined : entry.slice(queueAt, textAt),
    textAt: isLong ? undefined : textAt,
  };
}
