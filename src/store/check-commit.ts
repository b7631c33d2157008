import { Unstorable } from './port.js';
import type { Commit, Committed, NextDocument } from './port.js';

/** Bytes of UTF-8. With the longest id beside it, each still fits into an index entry of either adapter. */
const LIMITS = { id: 1_000, state: 256, queue: 640 } as const;

/**
 * Most bytes of UTF-8 of both texts of a document. A document of MongoDB has at most 16 MiB; its other fields have room
 * beside this.
 */
export const DOCUMENT_BYTES = 16 * 1024 * 1024 - 16 * 1024;

/** Has those of a batch committed that can be stored, and tells of each of the others why it cannot. */
export async function commitSound(
  batch: readonly Commit[],
  commit: (sound: readonly Commit[]) => Promise<readonly Committed[]>,
): Promise<Committed[]> {
  const faults = batch.map(refusalOf);
  const sound = batch.filter((_, at) => faults[at] === undefined);
  const results = sound.length === 0 ? [] : await commit(sound);
  let next = 0;
  return faults.map((fault) => fault ?? results[next++]!);
}

function refusalOf(commit: Commit): Unstorable | undefined {
  try {
    checkCommit(commit);
    return undefined;
  } catch (error) {
    return new Unstorable((error as Error).message, { cause: error });
  }
}

/**
 * Throws a `RangeError` where a commit could not be stored faithfully: an id, a state or a queue that is too long or
 * cannot be told from another once it is UTF-8, a time that is no whole number, texts that are too long. Of a document
 * that exists already only what changes is looked at: the rest was judged when it was written.
 */
function checkCommit(commit: Commit): void {
  const { id, expected, next, previous } = commit;
  if (expected === 0) {
    checkText('id', id, LIMITS.id);
    if (next !== undefined && (next.hot === undefined || next.cold === undefined))
      throw new RangeError(`${id} is new: it needs both texts`);
  }
  if (next === undefined) return;
  if (next.state !== previous?.state) checkText('state', next.state, LIMITS.state);
  const { wakeAt, queue } = next;
  if (queue !== undefined && queue !== previous?.queue) checkText('queue', queue, LIMITS.queue);
  if (wakeAt !== undefined && !(Number.isSafeInteger(wakeAt) && wakeAt >= 0)) {
    throw new RangeError(`wakeAt of ${id} is ${wakeAt}: whole milliseconds since the epoch are allowed`);
  }
  checkSize(id, next);
}

function checkSize(id: string, { hot = '', cold = '' }: NextDocument): void {
  // A character has three bytes at most.
  if ((hot.length + cold.length) * 3 <= DOCUMENT_BYTES) return;
  const bytes = Buffer.byteLength(hot) + Buffer.byteLength(cold);
  if (bytes <= DOCUMENT_BYTES) return;
  throw new RangeError(`${id} has ${bytes} bytes: at most ${DOCUMENT_BYTES} are allowed`);
}

function checkText(what: string, text: string, limit: number): void {
  const fault = faultOf(text, limit);
  if (fault !== undefined) throw new RangeError(`${what} ${JSON.stringify(text.slice(0, 80))} ${fault}`);
}

function faultOf(text: string, limit: number): string | undefined {
  if (text === '') return 'is empty';
  if (text.includes('\0')) return 'holds a NUL character';
  if (!text.isWellFormed()) return 'holds half of a surrogate pair';
  if (Buffer.byteLength(text) > limit) return `is longer than ${limit} bytes of UTF-8`;
  return undefined;
}
