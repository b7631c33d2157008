import type { KnownBlocks } from './known-blocks.js';
import type { ChainReceipt, Hex, Mined } from './port.js';

interface Wait {
  readonly confirmations: number;
  resolve(receipt: ChainReceipt): void;
}

interface Entry {
  readonly waits: Set<Wait>;
  /** What the node last said, not believed before its block is known as the chain's. */
  receipt: ChainReceipt | undefined;
  /** Whether the node has been asked since it last may have changed its mind. */
  asked: boolean;
}

/** The transactions whose receipts somebody waits for. */
export interface Awaited {
  /**
   * Waits until the receipt's block is the chain's and has so many confirmations. One that is `unsent` is in no block
   * before those that are still to come, and the node need not be asked.
   */
  wait(transactionHash: Hex, confirmations: number, unsent?: 'unsent'): Mined;
  /** Whether somebody waits for a transaction whose receipt from this block is not there yet. */
  lacks(transactionHash: Hex, blockHash: Hex): boolean;
  count(): number;
  /** Takes what the node says of a transaction, awaited or not. */
  offer(receipt: ChainReceipt): void;
  /** Answers those whose receipts are deep enough. */
  settle(): void;
  /** Those that the node has to be asked about; they count as asked then. */
  unasked(): readonly Hex[];
  /** Has the node asked again about those in blocks from this number on, and those in no block. */
  askAgain(from: number): void;
  /** Has the node asked again about one, since it gave no answer. */
  unanswered(transactionHash: Hex): void;
}

/** Receipts are believed as far as their blocks are in `known`, or below all that is. */
export function awaited(known: KnownBlocks): Awaited {
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
    wait(hash, confirmations, unsent) {
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
    lacks(hash, blockHash) {
      const entry = entries.get(hash);
      return entry !== undefined && entry.receipt?.blockHash !== blockHash;
    },
    count: () => entries.size,
    offer(receipt) {
      const entry = entries.get(receipt.transactionHash);
      if (entry !== undefined) entry.receipt = receipt;
    },
    settle() {
      for (const [hash, entry] of entries) settleOne(hash, entry);
    },
    unasked() {
      const hashes: Hex[] = [];
      for (const [hash, entry] of entries) {
        if (entry.asked) continue;
        entry.asked = true;
        hashes.push(hash);
      }
      return hashes;
    },
    askAgain(from) {
      for (const entry of entries.values()) {
        if (entry.receipt === undefined || Number(entry.receipt.blockNumber) >= from) forget(entry);
      }
    },
    unanswered(hash) {
      const entry = entries.get(hash);
      if (entry !== undefined) entry.asked = false;
    },
  };
}
