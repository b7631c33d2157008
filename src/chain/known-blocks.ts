import type { ChainBlock, Hex } from './port.js';

/** A block as this node of the service remembers it. */
type Known = Pick<ChainBlock, 'number' | 'hash'>;

/** The newest blocks of the chain as far as they have been seen, each the child of the one before but for gaps. */
export interface KnownBlocks {
  /** The newest. */
  tip(): Known | undefined;
  hashOf(number: number): Hex | undefined;
  /** Adds a block above the tip. The oldest is forgotten where there are more than are kept. */
  append(block: Known): void;
  /** Forgets the blocks from this number on. */
  dropFrom(number: number): void;
  /** Their numbers, the newest first. */
  newestFirst(): readonly number[];
}

/** Remembers the newest `keep` blocks. */
export function knownBlocks(keep: number): KnownBlocks {
  // A map keeps the order in which blocks came: by number.
  const hashes = new Map<number, Hex>();
  let tip: Known | undefined;
  return {
    tip: () => tip,
    hashOf: (number) => hashes.get(number),
    append({ number, hash }) {
      hashes.set(number, hash);
      tip = { number, hash };
      if (hashes.size > keep) hashes.delete(hashes.keys().next().value!);
    },
    dropFrom(number) {
      for (const known of hashes.keys()) if (known >= number) hashes.delete(known);
      const newest = Array.from(hashes.keys()).at(-1);
      tip = newest === undefined ? undefined : { number: newest, hash: hashes.get(newest)! };
    },
    newestFirst: () => Array.from(hashes.keys()).toReversed(),
  };
}
