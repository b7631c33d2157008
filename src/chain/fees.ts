import { numberOf, quantity } from './answers.js';
import { dynamicFees, feeMarket, type NewestBlock, type OfferSettings, times } from './dynamic-fees.js';
import { NodeError } from './exchange.js';
import { orUnavailable, type RpcCall } from './rpc-batcher.js';
import type { Fees, Hex } from './port.js';
import { cachedValue } from '../system/ttl-cache.js';
import { timestampCall } from './timestamp-call.js';

/** Time for which a price is cached, ms: shorter than the blocks of chains that have prices. */
const TTL_MS = 1_000;

/**
 * Gas if the node gives no estimate: about twice the 23,844 that the dearest call costs since Istanbul, and more than the
 * 27,400 that it cost before.
 */
const SAFE_GAS_LIMIT = 50_000n;

/** The arguments of the dearest call: no byte of them is zero. */
const WORD: Hex = `0x${'f'.repeat(64)}`;
const DEAREST = timestampCall(WORD, WORD);
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

export interface FeesOptions extends OfferSettings {
  readonly call: RpcCall;
  /** CHAIN_CONTRACT, in lower case. */
  readonly contract: Hex;
  /** GAS_LIMIT; undefined for an estimate of the node. */
  readonly gasLimit: bigint | undefined;
  readonly newest: () => NewestBlock | undefined;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Makes a function that gives the price and the gas of a transaction. Calls within a second share one answer. */
export function feesOf(options: FeesOptions): () => Promise<Fees> {
  const { call, contract, gasPriceFactor, gasLimit, newest, now } = options;
  const marketAt = feeMarket(call);
  let known = gasLimit;

  async function load(): Promise<Fees> {
    const limit = known ?? estimate(call, contract);
    const price = proposedGasPrice(call);
    // An offer of 0 needs a legacy transaction: one of EIP-1559 would offer twice the base fee.
    const asked = gasPriceFactor === 0 ? undefined : marketAt(newest(), price);
    const [gasPrice, found, market] = await Promise.all([price, limit, asked]);
    known = found;
    const fees = { gasPrice: times(gasPrice, gasPriceFactor), gasLimit: found };
    return market === undefined ? fees : { ...fees, dynamic: dynamicFees(market, options) };
  }

  const fees = cachedValue({ ttlMs: TTL_MS, now, load });
  return () => fees.get();
}

/** Reads the price that the node proposes, wei. Throws `ChainUnavailable`. */
export async function proposedGasPrice(call: RpcCall): Promise<bigint> {
  return quantity(await orUnavailable(call)('eth_gasPrice', []), 'eth_gasPrice');
}

async function estimate(call: RpcCall, contract: Hex): Promise<bigint> {
  try {
    const gas = await call('eth_estimateGas', [{ from: ZERO_ADDRESS, to: contract, data: DEAREST }]);
    return BigInt(Math.ceil(numberOf(gas, 'eth_estimateGas') * 1.25));
  } catch (error) {
    // Nodes of permissioned chains refuse estimates for unknown accounts.
    if (error instanceof NodeError) return SAFE_GAS_LIMIT;
    throw error;
  }
}
