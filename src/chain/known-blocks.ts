import type { ChainBlock, Hex } from './port.js';

/** A known block. */
type Known = Pick<ChainBlock, 'number' | 'hash'>;

/** The newest blocks that have been seen. Each is the child of the one before, except after a gap. */
export interface KnownBlocks {
  /** The newest block. */
  tip(): Known | undefined;
  hashOf(number: number): Hex | undefined;
  /** Adds a block above the tip, and forgets the oldest one above the limit. */
  append(block: Known): void;
  /** Forgets the blocks from this number on. */
  dropFrom(number: number): void;
  /** The numbers of the blocks, the newest first. */
  newestFirst(): readonly number[];
}

/** Remembers the newest `limit` blocks. */
export function knownBlocks(limit: number): KnownBlocks {
  // A map keeps the order in which blocks are added: by number.
  const hashes = new Map<number, Hex>();
  let tip: Known | undefined;
  return {
    tip: () => tip,
    hashOf: (number) => hashes.get(number),
    append({ number, hash }) {
      hashes.set(number, hash);
      tip = { number, hash };
      if (hashes.size > limit) hashes.delete(hashes.keys().next().value!);
    },
    dropFrom(number) {
      for (const known of hashes.keys()) if (known >= number) hashes.delete(known);
      const newest = Array.from(hashes.keys()).at(-1);
      tip = newest === undefined ? undefined : { number: newest, hash: hashes.get(newest)! };
    },
    newestFirst: () => Array.from(hashes.keys()).toReversed(),
  };
}
