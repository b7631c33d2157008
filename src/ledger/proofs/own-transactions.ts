import type { Hex } from '../../chain/port.js';
import type { MinedTransaction } from '../signed-transaction.js';

/** Maximum number of transactions that are remembered: some 25 MB. */
const MAX = 60_000;

/** The bytes of the transactions that this node of the service has sent, by the block that they are in. */
export type OwnTransactions = ReturnType<typeof createOwnTransactions>;

/**
 * Remembers signed transactions from their block until its proofs are made: a node of the chain that gives transactions as
 * JSON recovers the sender of each, which costs it more than all other requests for a proof. What is forgotten is asked for.
 */
export function createOwnTransactions(max = MAX) {
  const blocks = new Map<Hex, Map<Hex, Hex>>();
  let count = 0;

  const take = (blockHash: Hex): ReadonlyMap<Hex, Hex> | undefined => {
    const found = blocks.get(blockHash);
    blocks.delete(blockHash);
    count -= found?.size ?? 0;
    return found;
  };

  return {
    /** Called for each transaction that is in a block. One whose replacement is in the block is left out. */
    remember({ signed: { hash, raw }, receipt: { blockHash, transactionHash } }: MinedTransaction): void {
      if (hash !== transactionHash) return;
      const block = blocks.get(blockHash) ?? new Map<Hex, Hex>();
      blocks.set(blockHash, block);
      if (!block.has(hash)) count += 1;
      block.set(hash, raw);
      if (count > max) take(blocks.keys().next().value!);
    },
    /** Returns the bytes of the block's transactions by their hashes, and forgets them; undefined if none are known. */
    take,
  };
}
