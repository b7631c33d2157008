import type { Commit } from './port.js';

/** Bytes of UTF-8. With the longest id beside it, each still fits into an index entry of either adapter. */
const LIMITS = { id: 1_000, state: 256, queue: 640 } as const;

/**
 * Throws a `RangeError` where a commit could not be stored faithfully, which is a mistake of the caller: an id, a state
 * or a queue that is too long or cannot be told from another once it is UTF-8, a time that is no whole number. Of a
 * document that exists already only what changes is looked at: the rest was judged when it was written.
 */
export function checkCommit(commit: Commit): void {
  const { id, expected, next, previous } = commit;
  if (expected === 0) {
    checkText('id', id, LIMITS.id);
    if (next !== undefined && next.cold === undefined)
      throw new RangeError(`${id} is new: it needs a cold text`);
  }
  if (next === undefined) return;
  if (next.state !== previous?.state) checkText('state', next.state, LIMITS.state);
  const { wakeAt, queue } = next;
  if (queue !== undefined && queue !== previous?.queue) checkText('queue', queue, LIMITS.queue);
  if (wakeAt !== undefined && !(Number.isSafeInteger(wakeAt) && wakeAt >= 0)) {
    throw new RangeError(`wakeAt of ${id} is ${wakeAt}: whole milliseconds since the epoch are allowed`);
  }
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
