import { numberOf, quantity } from './answers.js';
import { NodeError } from './exchange.js';
import { firmly } from './rpc-batcher.js';
import type { Ask } from './rpc-batcher.js';
import type { Fees, Hex } from './port.js';
import { cachedValue } from '../system/ttl-cache.js';
import { timestampCall } from './timestamp-call.js';

/** How long a price is believed, ms: shorter than the blocks of any chain that has prices. */
const TTL_MS = 1_000;

/**
 * Where the node will not estimate: about twice the 23,844 that the dearest call costs since Istanbul, and more than
 * the 27,400 that it cost before.
 */
const SAFE_GAS_LIMIT = 50_000n;

/** The dearest call there is: every byte of its data costs as much as a byte can. */
const WORD: Hex = `0x${'f'.repeat(64)}`;
const DEAREST = timestampCall(WORD, WORD);
const NOBODY = `0x${'0'.repeat(40)}`;

export interface FeesOptions {
  readonly ask: Ask;
  readonly contract: Hex;
  /** GAS_PRICE_FACTOR. */
  readonly gasPriceFactor: number;
  /** GAS_LIMIT; undefined to have it estimated. */
  readonly gasLimit: bigint | undefined;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** What a transaction of the contract costs; callers within a second share the question. */
export function feesOf({ ask, contract, gasPriceFactor, gasLimit, now }: FeesOptions): () => Promise<Fees> {
  let estimated: bigint | undefined;

  async function limit(): Promise<bigint> {
    estimated ??= gasLimit ?? (await estimate(ask, contract));
    return estimated;
  }

  async function look(): Promise<Fees> {
    const [price, amount] = await Promise.all([firmly(ask)('eth_gasPrice', []), limit()]);
    return { gasPrice: times(quantity(price, 'eth_gasPrice'), gasPriceFactor), gasLimit: amount };
  }

  const fees = cachedValue({ ttlMs: TTL_MS, now, load: look });
  return () => fees.get();
}

async function estimate(ask: Ask, contract: Hex): Promise<bigint> {
  try {
    const gas = await ask('eth_estimateGas', [{ from: NOBODY, to: contract, data: DEAREST }]);
    return BigInt(Math.ceil(numberOf(gas, 'eth_estimateGas') * 1.25));
  } catch (error) {
    // A permissioned chain refuses to think about an account that it does not know.
    if (error instanceof NodeError) return SAFE_GAS_LIMIT;
    throw error;
  }
}

/** A price times a factor of at most six decimals, rounded up. */
function times(price: bigint, factor: number): bigint {
  const million = 1_000_000n;
  return (price * BigInt(Math.round(factor * 1_000_000)) + million - 1n) / million;
}
