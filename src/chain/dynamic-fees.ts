import { quantityIn } from './answers.js';
import { isLacking } from './block-source.js';
import { NodeError } from './exchange.js';
import type { DynamicFees, Hex } from './port.js';
import type { RpcCall } from './rpc-batcher.js';
import { higher, lower, scaledUp } from '../system/bigints.js';

/** Blocks whose transactions tell which priority fee is usual, and which of those in a block counts: the median. */
const BLOCKS = 10;
const PERCENTILE = 50;
/** Pools of go-ethereum accept no lower priority fee, wei. */
const LEAST_TIP = 1n;

/** What a transaction of EIP-1559 costs now, wei for each gas. */
export interface FeeMarket {
  /** Of the next block. */
  readonly baseFee: bigint;
  /** The usual priority fee. */
  readonly tip: bigint;
}

/** The settings that decide how much is offered. */
export interface OfferSettings {
  /** GAS_PRICE_FACTOR. */
  readonly gasPriceFactor: number;
  /** GAS_PRICE_MAX, wei. */
  readonly gasPriceMax?: bigint | undefined;
}

/** The newest block that is known. */
export interface NewestBlock {
  readonly hash: Hex;
  /** wei; absent or undefined if the rules of the chain have none. */
  readonly baseFeePerGas?: bigint | undefined;
}

/**
 * Returns the fees of a new transaction. The maximum fee is at least the price times the factor, as that of a legacy
 * transaction is. It has room for a base fee that doubles, which takes six full blocks, as far as GAS_PRICE_MAX allows. Only
 * the base fee and the priority fee are paid. The factor does not raise the priority fee: on a chain whose blocks have the
 * transactions of this service alone, it would raise it again with each block.
 */
export function dynamicFees(market: FeeMarket, { gasPriceFactor, gasPriceMax }: OfferSettings): DynamicFees {
  const tip = higher(market.tip, LEAST_TIP);
  const price = times(market.baseFee + tip, gasPriceFactor);
  const roomy = 2n * market.baseFee + tip;
  const maxFeePerGas = higher(price, lower(roomy, gasPriceMax ?? roomy));
  return { maxFeePerGas, maxPriorityFeePerGas: lower(tip, maxFeePerGas) };
}

/** A price times a factor with at most six decimals, rounded up. */
export function times(price: bigint, factor: number): bigint {
  return scaledUp(price, BigInt(Math.round(factor * 1_000_000)), 1_000_000n);
}

/**
 * Makes a function that reads the market from the node, once for each newest block; it resolves with undefined for a chain
 * without a base fee, or with one of 0. `gasPrice` is the result of `eth_gasPrice`. Throws `ChainUnavailable`.
 */
export function feeMarket(call: RpcCall) {
  let hasHistory = true;
  let known: { readonly hash: Hex; readonly market: Promise<FeeMarket | undefined> } | undefined;

  /** undefined if the node has no history, or one that cannot be read. */
  async function history(): Promise<History | undefined> {
    if (!hasHistory) return undefined;
    try {
      return historyOf(await call('eth_feeHistory', [`0x${BLOCKS.toString(16)}`, 'latest', [PERCENTILE]]));
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      hasHistory = !isLacking(error);
      return undefined;
    }
  }

  /** The priority fee that the node proposes. */
  async function proposed(baseFee: bigint, gasPrice: Promise<bigint>): Promise<bigint> {
    let tip: bigint | undefined;
    try {
      tip = quantityIn(await call('eth_maxPriorityFeePerGas', []));
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
    }
    if (tip !== undefined) return tip;
    const price = await gasPrice;
    return price > baseFee ? price - baseFee : 0n;
  }

  async function load(newest: bigint, gasPrice: Promise<bigint>): Promise<FeeMarket | undefined> {
    const found = await history();
    // A full block raises it by an eighth.
    const baseFee = found?.baseFee ?? scaledUp(newest, 9n, 8n);
    if (baseFee === 0n) return undefined;
    return { baseFee, tip: found?.tip ?? (await proposed(baseFee, gasPrice)) };
  }

  return async (
    newest: NewestBlock | undefined,
    gasPrice: Promise<bigint>,
  ): Promise<FeeMarket | undefined> => {
    if (newest?.baseFeePerGas === undefined || newest.baseFeePerGas === 0n) return undefined;
    if (known?.hash === newest.hash) return known.market;
    const market = load(newest.baseFeePerGas, gasPrice);
    const loaded = { hash: newest.hash, market };
    known = loaded;
    market.catch(() => {
      if (known === loaded) known = undefined;
    });
    return market;
  };
}

interface History {
  /** Of the next block. */
  readonly baseFee: bigint;
  /** The median of the blocks that have transactions; undefined if none has. */
  readonly tip: bigint | undefined;
}

/** Reads a result of `eth_feeHistory`; undefined if it lacks the base fees. */
export function historyOf(json: unknown): History | undefined {
  const { baseFeePerGas, gasUsedRatio, reward } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const next = quantityIn(Array.isArray(baseFeePerGas) ? baseFeePerGas.at(-1) : undefined);
  if (next === undefined) return undefined;
  const [ratios, rewards] = [gasUsedRatio, reward].map((it): readonly unknown[] =>
    Array.isArray(it) ? it : [],
  );
  const tips = rewards!
    .filter((_, i) => isUsed(ratios![i]))
    .map((of) => quantityIn(Array.isArray(of) ? of[0] : undefined))
    .filter((tip) => tip !== undefined)
    .toSorted((a, b) => (a < b ? -1 : 1));
  return { baseFee: next, tip: tips[Math.floor((tips.length - 1) / 2)] };
}

/** True for the ratio of a block with transactions. */
function isUsed(ratio: unknown): boolean {
  return typeof ratio === 'number' && ratio > 0;
}
