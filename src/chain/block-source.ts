import { blockOf, hexFrom, receiptOf } from './answers.js';
import { NodeError, malformed } from './exchange.js';
import { firmly } from './lane.js';
import type { Ask } from './lane.js';
import type { ChainBlock, ChainReceipt, Hex } from './port.js';

/** A block, and what is in it. */
export interface FullBlock extends ChainBlock {
  readonly transactions: readonly Hex[];
}

/** What a watcher asks of the node. Every method throws `ChainUnavailable`. */
export interface BlockSource {
  /** Undefined where the chain has none of that number. */
  block(number: number | 'latest'): Promise<FullBlock | undefined>;
  /** Undefined where the transaction is in no block. */
  receipt(transactionHash: Hex): Promise<ChainReceipt | undefined>;
  /** The receipts of these transactions of a block; undefined where the node has another block in its place by now. */
  receiptsIn(block: FullBlock, transactions: readonly Hex[]): Promise<readonly ChainReceipt[] | undefined>;
}

/** A block in which others have so many times more transactions is not asked for as a whole. */
const MOSTLY_OTHERS = 4;

/** What Besu and go-ethereum answer about a method that they lack, or that is switched off. */
const LACKING = new Set([-32_601, -32_604]);

/**
 * Asks for the receipts of a block with `eth_getBlockReceipts`; once the node says that it has no such method, with
 * `eth_getTransactionReceipt`.
 */
export function blockSource(ask: Ask): BlockSource {
  const askFirmly = firmly(ask);
  let hasBlockReceipts = true;

  async function receipt(transactionHash: Hex): Promise<ChainReceipt | undefined> {
    const json = await askFirmly('eth_getTransactionReceipt', [transactionHash]);
    // Some nodes answer for a transaction that waits, without a block.
    return json === null || (json as ChainReceipt).blockHash === null ? undefined : receiptOf(json);
  }

  /** The receipts of all transactions of a block, unread; undefined where the node has no such method. */
  async function wholeBlock(block: FullBlock): Promise<readonly { transactionHash?: unknown }[] | undefined> {
    try {
      const json = await ask('eth_getBlockReceipts', [toHex(block.number)]);
      if (json !== null && !Array.isArray(json)) throw malformed('eth_getBlockReceipts is no list');
      return (json ?? []) as readonly { transactionHash?: unknown }[];
    } catch (error) {
      if (!isLacking(error)) throw error;
      hasBlockReceipts = false;
      return undefined;
    }
  }

  async function together(
    block: FullBlock,
    wanted: readonly Hex[],
  ): Promise<readonly ChainReceipt[] | undefined> {
    const all = await wholeBlock(block);
    if (all === undefined) return undefined;
    const hashes = new Set<unknown>(wanted);
    return all.filter(({ transactionHash }) => hashes.has(transactionHash)).map(receiptOf);
  }

  async function singly(wanted: readonly Hex[]): Promise<readonly ChainReceipt[]> {
    const receipts = await Promise.all(wanted.map(receipt));
    return receipts.filter((it) => it !== undefined);
  }

  return {
    async block(number) {
      const json = await askFirmly('eth_getBlockByNumber', [
        number === 'latest' ? number : toHex(number),
        false,
      ]);
      if (json === null) return undefined;
      const { transactions } = json as { transactions?: unknown };
      if (!Array.isArray(transactions)) throw malformed('a block without transactions');
      return { ...blockOf(json), transactions: transactions.map((hash) => hexFrom(hash, 'transactions')) };
    },
    receipt,
    async receiptsIn(block, wanted) {
      const whole = hasBlockReceipts && wanted.length * MOSTLY_OTHERS >= block.transactions.length;
      const receipts = (whole ? await together(block, wanted) : undefined) ?? (await singly(wanted));
      const fits = receipts.length === wanted.length && receipts.every((it) => it.blockHash === block.hash);
      return fits ? receipts : undefined;
    },
  };
}

function isLacking(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  if (error.code !== undefined && LACKING.has(error.code)) return true;
  return /method.*(?:not|un)|(?:not|un).*method|unsupported/i.test(error.message);
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}
