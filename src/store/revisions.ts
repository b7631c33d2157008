import { singleFlight } from '../system/ttl-cache.js';

/**
 * Revisions of documents, such that none of a key ever comes twice: also not where its document is deleted and made
 * again, by whichever process, whatever its clock says. A commit adds 1 within a range of `RANGE` revisions, and begins a
 * new range where the document is new or the range is used up. The ranges are numbered; each number is handed out once.
 */
export interface Revisions {
  /**
   * The revision that a commit on top of `current` makes, 0 standing for no document: always a higher one. A promise
   * where numbers must be reserved first, which is seldom; it rejects with `StoreUnavailable`.
   */
  next(current: number): number | Promise<number>;
}

/**
 * Reserves `count` numbers in a row, all above `above` and above all that anybody has reserved before, and gives the
 * first one. Resolves once that is durable; rejects with `StoreUnavailable`, and the numbers may be lost then.
 */
export type Reserve = (count: number, above: number) => Promise<number>;

/** Revisions with one number. Numbers up to 2^43 keep revisions exact. */
export const RANGE = 1_024;

/** Numbers reserved at once: a process that ends wastes no more. 10,000 new documents a second use them up in 1.6 s. */
export const BLOCK = 16_384;

/** The number of the range that a revision lies in. */
export function rangeOf(revision: number): number {
  return Math.floor(revision / RANGE);
}

/** True where the commit that made a revision began a range with it: no other commit can have made the same one. */
export function isFirstOfRange(revision: number): boolean {
  return revision % RANGE === 0;
}

/** Makes the revisions of a process whose first block is reserved already. */
export async function openRevisions(reserve: Reserve): Promise<Revisions> {
  return revisionsFrom(await reserve(BLOCK, 0), reserve);
}

/** As `openRevisions`; `first` is the first number of a block that is reserved. */
export function revisionsFrom(first: number, reserve: Reserve): Revisions {
  let block = { next: first, end: first + BLOCK };
  /** The block to be used after this one. */
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
    // Another process has reserved its numbers later than this one.
    if (block.next <= above) return reserve(1, above).then((number) => number * RANGE);
    const number = block.next;
    block.next += 1;
    // Who finds nothing left asks again, and is told what went wrong.
    if (block.end - block.next < BLOCK / 2 && spare === undefined) refill().catch(() => undefined);
    return number * RANGE;
  };

  return {
    next(current) {
      const next = current + 1;
      return current === 0 || isFirstOfRange(next) ? begin(rangeOf(current)) : next;
    },
  };
}
