import type { DynamicFees } from '../../chain/port.js';
import type { UnsignedTransaction } from '../../wallets/port.js';

/**
 * A replacement offers 12.5 % more than the signature before it. Nodes ask for 10 % more of both fees at least, OpenEthereum
 * and its descendants for 12.5 %.
 */
const [MORE, THAN] = [1_125n, 1_000n];
const MAX_TIMES = 10n;

export interface Limits {
  /** The signature before, without its fees raised. */
  readonly before: UnsignedTransaction;
  readonly first: UnsignedTransaction;
  /** GAS_PRICE_MAX, wei; undefined: ten times what the first signature offered. */
  readonly gasPriceMax: bigint | undefined;
  /** What a new transaction of EIP-1559 would offer; undefined if that is not known. */
  readonly market: DynamicFees | undefined;
}

/**
 * Returns a transaction with higher fees, to replace the one before; undefined if no higher ones are allowed. It keeps its
 * type. One of EIP-1559 raises both fees, and offers no less than a new one would.
 */
export function raised({ before, first, gasPriceMax, market }: Limits): UnsignedTransaction | undefined {
  const most = gasPriceMax ?? MAX_TIMES * offerOf(first);
  const offer = offerOf(before);
  if ('gasPrice' in before) {
    const gasPrice = lower(bumped(offer), most);
    return gasPrice > offer ? { ...before, gasPrice } : undefined;
  }
  const tip = before.maxPriorityFeePerGas;
  const maxFeePerGas = lower(higher(bumped(offer), market?.maxFeePerGas ?? 0n), most);
  const wanted = higher(bumped(tip), market?.maxPriorityFeePerGas ?? 0n);
  const maxPriorityFeePerGas = lower(wanted, maxFeePerGas);
  if (maxFeePerGas <= offer || maxPriorityFeePerGas <= tip) return undefined;
  return { ...before, maxFeePerGas, maxPriorityFeePerGas };
}

/** The most that a transaction pays for each gas, wei. */
function offerOf(transaction: UnsignedTransaction): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas;
}

function bumped(fee: bigint): bigint {
  return (fee * MORE + THAN - 1n) / THAN;
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
