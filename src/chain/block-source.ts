import { blockOf, hexFrom, quantity, receiptOf } from './answers.js';
import { NodeError, malformed } from './exchange.js';
import { orUnavailable, type RpcCall } from './rpc-batcher.js';
import type { ChainBlock, ChainReceipt, Hex } from './port.js';

/** A block with the hashes of its transactions. */
export interface FullBlock extends ChainBlock {
  /** wei; undefined before the London rules. */
  readonly baseFeePerGas?: bigint | undefined;
  readonly transactions: readonly Hex[];
}

/** Blocks and receipts of the node. Every method throws `ChainUnavailable`. */
export type BlockSource = ReturnType<typeof blockSource>;

type Answer<T> = Promise<T | undefined>;
type Receipts = readonly { readonly transactionHash?: unknown; readonly blockHash?: unknown }[];

/** Receipts are asked for one by one if a block has more than this many times as many transactions as are wanted. */
const MOSTLY_OTHERS = 4;

/** Error codes of Besu and go-ethereum for a method that is missing or switched off. */
const LACKING = new Set([-32_601, -32_604]);

/**
 * Makes a block source. It reads the receipts of a block with `eth_getBlockReceipts`, or with `eth_getTransactionReceipt`
 * once the node has answered that it lacks that method.
 */
export function blockSource(call: RpcCall) {
  const surely = orUnavailable(call);
  let hasBlockReceipts = true;
  let prefetched = new Map<number, { block: Answer<FullBlock>; receipts: Answer<Receipts> }>();

  /** undefined if the transaction is in no block. */
  async function receipt(transactionHash: Hex): Answer<ChainReceipt> {
    const json = await surely('eth_getTransactionReceipt', [transactionHash]);
    // Some nodes give a receipt without a block for a transaction in the pool.
    return json === null || (json as ChainReceipt).blockHash === null ? undefined : receiptOf(json);
  }

  async function fetchBlock(number: number | 'latest'): Answer<FullBlock> {
    const json = await surely('eth_getBlockByNumber', [number === 'latest' ? number : toHex(number), false]);
    if (json === null) return undefined;
    const { transactions, baseFeePerGas } = json as { transactions?: unknown; baseFeePerGas?: unknown };
    if (!Array.isArray(transactions)) throw malformed('a block without transactions');
    const hasBaseFee = (baseFeePerGas ?? null) !== null;
    return {
      transactions: transactions.map((hash) => hexFrom(hash, 'transactions')),
      baseFeePerGas: hasBaseFee ? quantity(baseFeePerGas, 'baseFeePerGas') : undefined,
      ...blockOf(json),
    };
  }

  /** The receipts of all transactions of a block, unread; undefined if the node lacks the method. */
  async function allReceipts(number: number): Answer<Receipts> {
    try {
      const json = await call('eth_getBlockReceipts', [toHex(number)]);
      if (json !== null && !Array.isArray(json)) throw malformed('eth_getBlockReceipts is no list');
      return (json ?? []) as Receipts;
    } catch (error) {
      if (!isLacking(error)) throw error;
      hasBlockReceipts = false;
      return undefined;
    }
  }

  async function fromWholeBlock(block: FullBlock, wanted: readonly Hex[]): Answer<readonly ChainReceipt[]> {
    const hashes = new Set<unknown>(wanted);
    const among = (all: Receipts) => all.filter(({ transactionHash }) => hashes.has(transactionHash));
    const early = among((await prefetched.get(block.number)?.receipts) ?? []);
    if (early.length === wanted.length && early.every(({ blockHash }) => blockHash === block.hash)) {
      return early.map(receiptOf);
    }
    const all = await allReceipts(block.number);
    return all && among(all).map(receiptOf);
  }

  async function oneByOne(wanted: readonly Hex[]): Promise<readonly ChainReceipt[]> {
    const receipts = await Promise.all(wanted.map(receipt));
    return receipts.filter((it) => it !== undefined);
  }

  return {
    /**
     * Asks for `count` blocks from a number on and for their receipts, in the batch of this turn of the event loop. The
     * other methods use the answers until the next call.
     */
    prefetch(from: number, count: number): void {
      prefetched = new Map();
      for (let number = from; hasBlockReceipts && number < from + count; number += 1) {
        // Some nodes answer with an error for a block that they lack.
        const block = fetchBlock(number).catch(() => undefined);
        const receipts = allReceipts(number).catch(() => undefined);
        prefetched.set(number, { block, receipts });
      }
    },
    /** undefined if the chain is shorter. */
    async block(number: number | 'latest'): Answer<FullBlock> {
      const early = number === 'latest' ? undefined : await prefetched.get(number)?.block;
      return early ?? fetchBlock(number);
    },
    receipt,
    /** The receipts of these transactions of a block; undefined if the node has another block with that number now. */
    async receiptsIn(block: FullBlock, wanted: readonly Hex[]): Answer<readonly ChainReceipt[]> {
      const whole = hasBlockReceipts && wanted.length * MOSTLY_OTHERS >= block.transactions.length;
      const receipts = (whole ? await fromWholeBlock(block, wanted) : undefined) ?? (await oneByOne(wanted));
      const fits = receipts.length === wanted.length && receipts.every((it) => it.blockHash === block.hash);
      return fits ? receipts : undefined;
    },
  };
}

/** Returns true if the error of a node says that it lacks the method. */
export function isLacking(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  if (error.code !== undefined && LACKING.has(error.code)) return true;
  return /method.*(?:not|un)|(?:not|un).*method|unsupported/i.test(error.message);
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}
