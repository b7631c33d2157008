import { timestampOf } from '../../chain/timestamp-call.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import type { MinedTransaction } from '../signed-transaction.js';

/** Maximum number of transactions that are remembered: some 30 MB. */
const MAX = 60_000;
/** Share of them after which a block is soon forgotten. */
const SOON = 0.9;

/** The transactions that this node of the service has sent, by the block that they are in. */
export type OwnTransactions = ReturnType<typeof createOwnTransactions>;

/** What is known of transactions of a block, by their hashes. */
export interface OwnBlock {
  /** Their bytes. */
  readonly raw: ReadonlyMap<Hex, Hex>;
  /** The `cumulativeGasUsed` of their receipts, of those that have the event of the call and nothing else. */
  readonly gas: ReadonlyMap<Hex, Hex>;
}

interface Remembered {
  readonly raw: Map<Hex, Hex>;
  readonly gas: Map<Hex, Hex>;
  /** Number of all transactions that were remembered before those of the block. */
  readonly before: number;
  /** Number of transactions in the block up to the last one that is known. */
  size: number;
}

/**
 * Remembers signed transactions from their block until its proofs are made, so that the chain's node need not give them and
 * their receipts again: a node that gives transactions as JSON recovers the sender of each. A receipt with nothing but the event
 * follows from the transaction and the gas. What is forgotten is asked for.
 */
export function createOwnTransactions(max = MAX) {
  const blocks = new Map<Hex, Remembered>();
  let count = 0;
  /** Number of all transactions that were ever remembered. */
  let all = 0;

  const take = (blockHash: Hex): OwnBlock | undefined => {
    const found = blocks.get(blockHash);
    blocks.delete(blockHash);
    count -= found?.raw.size ?? 0;
    return found;
  };

  return {
    /** Called for each transaction that is in a block. One whose replacement is in the block is left out. */
    remember({ signed: { hash, raw }, receipt }: MinedTransaction): void {
      const { blockHash, transactionHash, transactionIndex, cumulativeGasUsed } = receipt;
      if (hash !== transactionHash) return;
      const known = blocks.get(blockHash);
      const block: Remembered = known ?? { raw: new Map(), gas: new Map(), before: all, size: 0 };
      blocks.set(blockHash, block);
      if (!block.raw.has(hash)) {
        count += 1;
        all += 1;
      }
      block.raw.set(hash, raw);
      block.size = Math.max(block.size, Number(transactionIndex) + 1);
      if (hasEventAlone(receipt)) block.gas.set(hash, cumulativeGasUsed);
      if (count > max) take(blocks.keys().next().value!);
    },
    /** Returns what is known of the block's transactions, and forgets it; undefined if none are known. */
    take,
    /** Returns the number of transactions of the block; Infinity if it is known to have others too, or if none are known. */
    sizeOf(blockHash: Hex): number {
      const block = blocks.get(blockHash);
      return block !== undefined && block.size === block.raw.size ? block.size : Infinity;
    },
    /**
     * True if so many came after the block that it is soon forgotten. The number of those that are known does not tell: blocks that
     * another node of the service has proven, or that left the chain, are known until they are forgotten.
     */
    isSoonForgotten(blockHash: Hex): boolean {
      const block = blocks.get(blockHash);
      return block !== undefined && all - block.before > SOON * max;
    },
  };
}

function hasEventAlone(receipt: ChainReceipt): boolean {
  const { logs, to } = receipt;
  return logs.length === 1 && logs[0]!.data === '0x' && timestampOf(receipt, to ?? undefined).length === 1;
}
