import type { FullBlock } from './block-source.js';
import type { Hex } from './port.js';

/** A known block. */
type Known = Pick<FullBlock, 'number' | 'hash'>;

/** The newest blocks that have been seen. Each is the child of the one before, except after a gap. */
export type KnownBlocks = ReturnType<typeof knownBlocks>;

/** Remembers the newest `limit` blocks. */
export function knownBlocks(limit: number) {
  // A map keeps the order in which blocks are added: by number.
  const hashes = new Map<number, Hex>();
  let tip: Known | undefined;
  let baseFee: bigint | undefined;
  return {
    /** The newest block. */
    tip: () => tip,
    hashOf: (number: number) => hashes.get(number),
    /** Base fee of the block that was added last, wei; undefined if it has none. */
    baseFee: () => baseFee,
    /** Adds a block above the tip, and forgets the oldest one above the limit. */
    append({ number, hash, baseFeePerGas }: Known & Pick<FullBlock, 'baseFeePerGas'>) {
      baseFee = baseFeePerGas;
      hashes.set(number, hash);
      tip = { number, hash };
      if (hashes.size > limit) hashes.delete(hashes.keys().next().value!);
    },
    /** Forgets the blocks from this number on. */
    dropFrom(number: number) {
      for (const known of hashes.keys()) if (known >= number) hashes.delete(known);
      const newest = Array.from(hashes.keys()).at(-1);
      tip = newest === undefined ? undefined : { number: newest, hash: hashes.get(newest)! };
    },
    /** The numbers of the blocks, the newest first. */
    newestFirst: () => Array.from(hashes.keys()).toReversed(),
  };
}
