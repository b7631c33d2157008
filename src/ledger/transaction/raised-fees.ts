import type { Fees } from '../../chain/port.js';
import { higher, lower, scaledUp } from '../../system/bigints.js';
import type { UnsignedTransaction } from '../../wallets/port.js';

/**
 * A replacement offers 12.5 % more than the signature before it. Nodes ask for 10 % more of both fees at least, OpenEthereum
 * and its descendants for 12.5 %.
 */
const [MORE, THAN] = [1_125n, 1_000n];
const MAX_TIMES = 10n;

export interface Limits {
  /** The transaction as it was signed last. */
  readonly before: UnsignedTransaction;
  /** As it was signed first. */
  readonly first: UnsignedTransaction;
  /** GAS_PRICE_MAX, wei; undefined: ten times what the first signature offered, or ten times the market's price if that is 0. */
  readonly gasPriceMax: bigint | undefined;
  /** What a new transaction would offer. */
  readonly market: Pick<Fees, 'gasPrice' | 'dynamic'>;
}

/**
 * Returns the transaction with higher fees; undefined if no higher ones are allowed. It keeps its type. One of EIP-1559 raises
 * both fees, and offers no less than a new one would. One that offers 0 goes on doing so, unless the chain has a base fee by
 * now: then it offers what a new one would.
 */
export function raised({ before, first, gasPriceMax, market }: Limits): UnsignedTransaction | undefined {
  const offer = offerOf(before);
  if ('gasPrice' in before) {
    const wanted = offer > 0n || market.dynamic === undefined ? raisedFee(offer) : market.gasPrice;
    const gasPrice = lower(wanted, gasPriceMax ?? MAX_TIMES * (offerOf(first) || market.gasPrice));
    return gasPrice > offer ? { ...before, gasPrice } : undefined;
  }
  const most = gasPriceMax ?? MAX_TIMES * offerOf(first);
  const { maxFeePerGas: newMax = 0n, maxPriorityFeePerGas: newTip = 0n } = market.dynamic ?? {};
  const tip = before.maxPriorityFeePerGas;
  const maxFeePerGas = lower(higher(raisedFee(offer), newMax), most);
  const wanted = higher(raisedFee(tip), newTip);
  const maxPriorityFeePerGas = lower(wanted, maxFeePerGas);
  if (maxFeePerGas <= offer || maxPriorityFeePerGas <= tip) return undefined;
  return { ...before, maxFeePerGas, maxPriorityFeePerGas };
}

/** The most that a transaction pays for each gas, wei. */
function offerOf(transaction: UnsignedTransaction): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas;
}

function raisedFee(fee: bigint): bigint {
  return scaledUp(fee, MORE, THAN);
}
