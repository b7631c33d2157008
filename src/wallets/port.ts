import type { DynamicFees } from '../chain/port.js';
import type { Hex } from '../system/chain-bytes.js';

/**
 * An account that signs. Its methods throw `Refusal` with the codes of the interface: `bad-request`, `unauthorized`,
 * `forbidden`, `not-found`, `unavailable`, and `bad-gateway` for a wrong answer of the wallet.
 */
export interface Wallet {
  /** True if it signs transactions of EIP-1559 too. Absent: legacy ones alone. */
  readonly signsDynamicFees?: boolean;
  /** The account's address. Throws `Refusal`. */
  account(): Promise<Hex>;
  /**
   * Signs the transaction. The wallet's answer is decoded and compared with it, field by field, the sender included.
   * Throws `Refusal`. `cancellation` is aborted when the signature is no longer needed.
   */
  sign(transaction: UnsignedTransaction, cancellation?: Cancellation): Promise<SigningResult>;
}

/** Ends a request for a signature. The signal is made when it is first read. */
export interface Cancellation {
  readonly signal: AbortSignal;
}

/** A transaction without value. Only wallets with `signsDynamicFees` are given one of EIP-1559. */
export type UnsignedTransaction = LegacyTransaction | DynamicFeeTransaction;

/** A legacy transaction (EIP-155). */
export interface LegacyTransaction extends UnpricedTransaction {
  /** wei. */
  readonly gasPrice: bigint;
}

/** A transaction of EIP-1559, without an access list. */
export interface DynamicFeeTransaction extends UnpricedTransaction, DynamicFees {}

interface UnpricedTransaction {
  /** The account that signs. */
  readonly from: Hex;
  /** `0x` for a transaction that creates a contract. */
  readonly to: Hex;
  readonly data: Hex;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly chainId: number;
}

export interface SigningResult {
  /** The bytes to send. */
  readonly raw: Hex;
  /** The keccak-256 of the bytes: the hash of the transaction. */
  readonly hash: Hex;
}
