import type { Hex } from '../system/chain-bytes.js';

/**
 * An account that signs. Its methods throw `Refusal` with the codes of the interface: `bad-request`, `unauthorized`,
 * `forbidden`, `not-found`, `unavailable`, and `bad-gateway` for a wrong answer of the wallet.
 */
export interface Wallet {
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

/** A legacy transaction without value, as all wallets sign it. */
export interface UnsignedTransaction {
  /** The account that signs. */
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly nonce: number;
  /** wei. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  readonly chainId: number;
}

export interface SigningResult {
  /** The bytes to send. */
  readonly raw: Hex;
  /** The keccak-256 of the bytes: the hash of the transaction. */
  readonly hash: Hex;
}
