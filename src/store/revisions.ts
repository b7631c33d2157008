import { singleFlight } from '../system/ttl-cache.js';

/**
 * Revisions of documents. None comes twice for an id, even if its document is deleted and made again by another process
 * with another clock. A commit adds 1 within a range of `RANGE` revisions, and starts a new range if the document is new
 * or the range is used up. Ranges have numbers; each number is given out once.
 */
export type Revisions = ReturnType<typeof revisionsFrom>;

/**
 * Reserves `count` consecutive numbers, all above `above` and above all numbers reserved before, by any process. Resolves
 * with the first one once that is durable. Rejects with `StoreUnavailable`; the numbers may then be lost.
 */
export type Reserve = (count: number, above: number) => Promise<number>;

/** Revisions in a range. Range numbers up to 2^43 keep revisions exact. */
export const RANGE = 1_024;

/** Numbers reserved at once, and wasted at most by a process that ends. 10,000 new documents a second use them in 1.6 s. */
export const BLOCK = 16_384;

/** Returns the number of the range of a revision. */
export function rangeOf(revision: number): number {
  return Math.floor(revision / RANGE);
}

/** True for the first revision of a range: only one commit can have made it. */
export function isFirstOfRange(revision: number): boolean {
  return revision % RANGE === 0;
}

/** Reserves the first block of a process, and creates its revisions. */
export async function openRevisions(reserve: Reserve): Promise<Revisions> {
  return revisionsFrom(await reserve(BLOCK, 0), reserve);
}

/** Creates the revisions of a process; `first` is the first number of a block that is reserved. */
export function revisionsFrom(first: number, reserve: Reserve) {
  let block = { next: first, end: first + BLOCK };
  /** First number of the next block. */
  let spare: number | undefined;
  const reserving = singleFlight<void>();

  const refill = (): Promise<void> =>
    reserving('spare', async () => {
      spare = await reserve(BLOCK, 0);
    });

  const begin = (above: number): number | Promise<number> => {
    if (block.next === block.end) {
      if (spare === undefined) return refill().then(() => begin(above));
      block = { next: spare, end: spare + BLOCK };
      spare = undefined;
    }
    // Another process has reserved later numbers than this one, and used them for this document.
    if (block.next <= above) return reserve(1, above).then((number) => number * RANGE);
    const number = block.next;
    block.next += 1;
    // If that fails, the caller that finds the block used up tries again and gets the error.
    if (block.end - block.next < BLOCK / 2 && spare === undefined) refill().catch(() => undefined);
    return number * RANGE;
  };

  return {
    /**
     * Returns the revision of a commit on top of `current`, always a higher one; 0 stands for no document. Rarely a
     * promise, while numbers are reserved; it rejects with `StoreUnavailable`.
     */
    next(current: number): number | Promise<number> {
      const next = current + 1;
      return current === 0 || isFirstOfRange(next) ? begin(rangeOf(current)) : next;
    },
  };
}
