import { type Commit, type NextDocument, type Result, Unstorable } from './port.js';
import { tagsOf } from './tallies.js';

/** Bytes of UTF-8. Each fits into an index entry of either adapter, together with the longest id. */
const LIMITS = { id: 1_000, state: 256, queue: 640, tag: 256 } as const;

/** Maximum number of bytes of UTF-8 of both texts of a document: 16 MiB, MongoDB's limit, less room for the other fields. */
export const DOCUMENT_BYTES = 16 * 1024 * 1024 - 16 * 1024;

/** Commits the items of a batch that can be stored; the result of each other one is an `Unstorable`. */
export async function commitStorable(
  batch: readonly Commit[],
  commit: (storable: readonly Commit[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const faults = batch.map(refusalOf);
  const storable = batch.filter((_, at) => faults[at] === undefined);
  const results = storable.length === 0 ? [] : await commit(storable);
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
 * Throws a `RangeError` if a commit cannot be stored as it is: an id, a state or a queue that is too long or ambiguous in
 * UTF-8, a time that is not a whole number, an order that is not printable, texts that are too long. Of an existing document
 * only the changes are checked.
 */
function checkCommit(commit: Commit): void {
  const { id, expected, next, previous } = commit;
  if (expected === 0) {
    checkText('id', id, LIMITS.id);
    if (next !== undefined && (next.frequent === undefined || next.rare === undefined))
      throw new RangeError(`${id} is new: it needs both texts`);
  }
  if (next === undefined) return;
  if (next.state !== previous?.state) checkText('state', next.state, LIMITS.state);
  const { wakeAt, queue } = next;
  if (queue !== undefined && queue !== previous?.queue) checkText('queue', queue, LIMITS.queue);
  if (wakeAt !== undefined && !(Number.isSafeInteger(wakeAt) && wakeAt >= 0)) {
    throw new RangeError(`wakeAt of ${id} is ${wakeAt}: whole milliseconds since the epoch are allowed`);
  }
  const order = next.place?.order;
  if (order !== undefined && !/^[!-~]{1,64}$/.test(order))
    throw new RangeError(`the order of ${id} must be 1 to 64 printable characters of ASCII`);
  if (next.place !== undefined && next.place.tags !== previous?.place?.tags)
    for (const tag of tagsOf(next.place)) checkText('tag', tag, LIMITS.tag);
  checkSize(id, next);
}

function checkSize(id: string, { frequent = '', rare = '' }: NextDocument): void {
  // A UTF-16 code unit has three bytes of UTF-8 at most.
  if ((frequent.length + rare.length) * 3 <= DOCUMENT_BYTES) return;
  const bytes = Buffer.byteLength(frequent) + Buffer.byteLength(rare);
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
