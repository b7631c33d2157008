import { timestampOf } from '../../chain/timestamp-call.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import type { MinedTransaction } from '../signed-transaction.js';

/** Maximum number of transactions that are remembered: some 30 MB. */
const MAX = 60_000;

/** The transactions that this node of the service has sent, by the block that they are in. */
export type OwnTransactions = ReturnType<typeof createOwnTransactions>;

/** What is known of transactions of a block, by their hashes. */
export interface OwnBlock {
  /** Their bytes. */
  readonly raw: ReadonlyMap<Hex, Hex>;
  /** The `cumulativeGasUsed` of their receipts, of those that have the event of the call and nothing else. */
  readonly gas: ReadonlyMap<Hex, Hex>;
}

/**
 * Remembers signed transactions from their block until its proofs are made, so that the chain's node need not give them and
 * their receipts again: a node that gives transactions as JSON recovers the sender of each. A receipt with nothing but the event
 * follows from the transaction and the gas. What is forgotten is asked for.
 */
export function createOwnTransactions(max = MAX) {
  const blocks = new Map<Hex, { readonly raw: Map<Hex, Hex>; readonly gas: Map<Hex, Hex> }>();
  let count = 0;

  const take = (blockHash: Hex): OwnBlock | undefined => {
    const found = blocks.get(blockHash);
    blocks.delete(blockHash);
    count -= found?.raw.size ?? 0;
    return found;
  };

  return {
    /** Called for each transaction that is in a block. One whose replacement is in the block is left out. */
    remember({ signed: { hash, raw }, receipt }: MinedTransaction): void {
      const { blockHash, transactionHash, cumulativeGasUsed } = receipt;
      if (hash !== transactionHash) return;
      const block = blocks.get(blockHash) ?? { raw: new Map<Hex, Hex>(), gas: new Map<Hex, Hex>() };
      blocks.set(blockHash, block);
      if (!block.raw.has(hash)) count += 1;
      block.raw.set(hash, raw);
      if (hasEventAlone(receipt)) block.gas.set(hash, cumulativeGasUsed);
      if (count > max) take(blocks.keys().next().value!);
    },
    /** Returns what is known of the block's transactions, and forgets it; undefined if none are known. */
    take,
  };
}

function hasEventAlone(receipt: ChainReceipt): boolean {
  const { logs, to } = receipt;
  return logs.length === 1 && logs[0]!.data === '0x' && timestampOf(receipt, to ?? undefined).length === 1;
}
