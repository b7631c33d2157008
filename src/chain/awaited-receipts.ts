import type { KnownBlocks } from './known-blocks.js';
import type { ChainReceipt, Hex, Mined } from './port.js';

interface Wait {
  readonly confirmations: number;
  resolve(receipt: ChainReceipt): void;
}

interface Entry {
  readonly waits: Set<Wait>;
  /** The node's last answer. It counts once its block is known to be on the chain. */
  receipt: ChainReceipt | undefined;
  /** True if the node has been asked since its answer last may have changed. */
  asked: boolean;
}

/** The transactions whose receipts are waited for. */
export type AwaitedReceipts = ReturnType<typeof awaitedReceipts>;

/** Makes the waits. A receipt counts if its block is in `known`, or is below all blocks in `known`. */
export function awaitedReceipts(known: KnownBlocks) {
  const entries = new Map<Hex, Entry>();

  const forget = (entry: Entry): void => {
    entry.receipt = undefined;
    entry.asked = false;
  };

  const settleOne = (hash: Hex, entry: Entry): void => {
    const { receipt, waits } = entry;
    if (receipt === undefined) return;
    const number = Number(receipt.blockNumber);
    const confirmations = (known.tip()?.number ?? -1) - number + 1;
    if (confirmations < 1) return;
    const inChain = known.hashOf(number);
    if (inChain !== undefined && inChain !== receipt.blockHash) {
      forget(entry);
      return;
    }
    for (const wait of waits) {
      if (wait.confirmations > confirmations) continue;
      waits.delete(wait);
      wait.resolve(receipt);
    }
    if (waits.size === 0) entries.delete(hash);
  };

  return {
    /**
     * Waits until the receipt's block is on the chain and has the confirmations. With `unsent`, the transaction can only be
     * in a later block, and the node is not asked about it.
     */
    wait(hash: Hex, confirmations: number, unsent?: 'unsent'): Mined {
      const entry = entries.get(hash) ?? {
        waits: new Set(),
        receipt: undefined,
        asked: unsent !== undefined,
      };
      entries.set(hash, entry);
      if (unsent === undefined && entry.receipt === undefined) entry.asked = false;
      let stop!: Mined['stop'];
      const receipt = new Promise<ChainReceipt>((resolve, reject) => {
        const wait: Wait = { confirmations, resolve };
        entry.waits.add(wait);
        stop = (reason) => {
          if (!entry.waits.delete(wait)) return;
          if (entry.waits.size === 0 && entries.get(hash) === entry) entries.delete(hash);
          reject(reason);
        };
      });
      return { receipt, stop };
    },
    /** True if the transaction is waited for and its receipt from this block is missing. */
    lacks(hash: Hex, blockHash: Hex): boolean {
      const entry = entries.get(hash);
      return entry !== undefined && entry.receipt?.blockHash !== blockHash;
    },
    count: () => entries.size,
    /** Takes a receipt of the node. Receipts that are not waited for are ignored. */
    offer(receipt: ChainReceipt) {
      const entry = entries.get(receipt.transactionHash);
      if (entry !== undefined) entry.receipt = receipt;
    },
    /** Resolves the waits whose receipts have their confirmations. */
    settle() {
      for (const [hash, entry] of entries) settleOne(hash, entry);
    },
    /** The transactions that the node must be asked about. From then on they count as asked. */
    takeUnasked(): readonly Hex[] {
      const hashes: Hex[] = [];
      for (const [hash, entry] of entries) {
        if (entry.asked) continue;
        entry.asked = true;
        hashes.push(hash);
      }
      return hashes;
    },
    /** Has the node asked again about the transactions in blocks from this number on, and about those in no block. */
    askAgainFrom(from: number) {
      for (const entry of entries.values()) {
        if (entry.receipt === undefined || Number(entry.receipt.blockNumber) >= from) forget(entry);
      }
    },
    /** Has the node asked again about a transaction: it gave no answer. */
    unanswered(hash: Hex) {
      const entry = entries.get(hash);
      if (entry !== undefined) entry.asked = false;
    },
  };
}
