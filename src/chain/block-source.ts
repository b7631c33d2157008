import { blockOf, hexFrom, receiptOf } from './answers.js';
import { NodeError, malformed } from './exchange.js';
import { firmly } from './rpc-batcher.js';
import type { Ask } from './rpc-batcher.js';
import type { ChainBlock, ChainReceipt, Hex } from './port.js';

/** A block, and what is in it. */
export interface FullBlock extends ChainBlock {
  readonly transactions: readonly Hex[];
}

/** What a watcher asks of the node. Every method throws `ChainUnavailable`. */
export interface BlockSource {
  /**
   * Asks, together with whatever else is asked in this turn of the event loop, for blocks from a number on and for their
   * receipts, should they be there already: the other methods take what came of it until this is called again.
   */
  expect(from: number, count: number): void;
  /** Undefined where the chain has none of that number. */
  block(number: number | 'latest'): Promise<FullBlock | undefined>;
  /** Undefined where the transaction is in no block. */
  receipt(transactionHash: Hex): Promise<ChainReceipt | undefined>;
  /** The receipts of these transactions of a block; undefined where the node has another block in its place by now. */
  receiptsIn(block: FullBlock, transactions: readonly Hex[]): Promise<readonly ChainReceipt[] | undefined>;
}

type Asked<T> = Promise<T | undefined>;
type Receipts = readonly { readonly transactionHash?: unknown; readonly blockHash?: unknown }[];

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
  let expected = new Map<number, { readonly block: Asked<FullBlock>; readonly receipts: Asked<Receipts> }>();

  async function receipt(transactionHash: Hex): Promise<ChainReceipt | undefined> {
    const json = await askFirmly('eth_getTransactionReceipt', [transactionHash]);
    // Some nodes answer for a transaction that waits, without a block.
    return json === null || (json as ChainReceipt).blockHash === null ? undefined : receiptOf(json);
  }

  async function askBlock(number: number | 'latest'): Asked<FullBlock> {
    const json = await askFirmly('eth_getBlockByNumber', [
      number === 'latest' ? number : toHex(number),
      false,
    ]);
    if (json === null) return undefined;
    const { transactions } = json as { transactions?: unknown };
    if (!Array.isArray(transactions)) throw malformed('a block without transactions');
    return { transactions: transactions.map((hash) => hexFrom(hash, 'transactions')), ...blockOf(json) };
  }

  /** The receipts of all transactions of a block, unread; undefined where the node has no such method. */
  async function wholeBlock(number: number): Asked<Receipts> {
    try {
      const json = await ask('eth_getBlockReceipts', [toHex(number)]);
      if (json !== null && !Array.isArray(json)) throw malformed('eth_getBlockReceipts is no list');
      return (json ?? []) as Receipts;
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
    const hashes = new Set<unknown>(wanted);
    const among = (all: Receipts) => all.filter(({ transactionHash }) => hashes.has(transactionHash));
    const early = among((await expected.get(block.number)?.receipts) ?? []);
    if (early.length === wanted.length && early.every(({ blockHash }) => blockHash === block.hash)) {
      return early.map(receiptOf);
    }
    const all = await wholeBlock(block.number);
    return all && among(all).map(receiptOf);
  }

  async function singly(wanted: readonly Hex[]): Promise<readonly ChainReceipt[]> {
    const receipts = await Promise.all(wanted.map(receipt));
    return receipts.filter((it) => it !== undefined);
  }

  return {
    expect(from, count) {
      expected = new Map();
      for (let number = from; hasBlockReceipts && number < from + count; number += 1) {
        // A node may refuse to speak of blocks that it has not.
        const block = askBlock(number).catch(() => undefined);
        const receipts = wholeBlock(number).catch(() => undefined);
        expected.set(number, { block, receipts });
      }
    },
    async block(number) {
      const early = number === 'latest' ? undefined : await expected.get(number)?.block;
      return early ?? askBlock(number);
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
