import type { Hex } from '../system/chain-bytes.js';

/**
 * Opens the wallets that callers name. Refusals are those of the interface: `bad-request`, `unauthorized`, `forbidden`,
 * `not-found`, `bad-gateway` for an answer that cannot be meant, `unavailable`.
 */
export interface Wallets {
  /**
   * The wallet behind the headers of a request. Throws `Refusal`; nothing is asked of the wallet yet but what its
   * address needs to be judged.
   */
  open(named: NamedWallet): Promise<Wallet>;
  /** The account of callers who name no wallet; undefined where there is none. */
  readonly defaultWallet: Wallet | undefined;
  close(): Promise<void>;
}

/** What a caller says of the wallet that is to sign. */
export interface NamedWallet {
  /** The account's URL. */
  readonly address: string;
  /** Never stored, logged or echoed. */
  readonly token: string;
}

/** An account that signs. */
export interface Wallet {
  /** The account's address. Throws `Refusal`. */
  account(): Promise<Hex>;
  /**
   * Signs exactly this transaction: what the wallet gives back is decoded and compared, field by field and by its
   * sender. Throws `Refusal`; nothing was sent then. `signal` is aborted when the signature is of no use any more.
   */
  sign(transaction: UnsignedTransaction, signal?: AbortSignal): Promise<SignedTransaction>;
}

/** A legacy transaction of no value, as both kinds of wallet sign it. */
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

export interface SignedTransaction {
  /** The bytes to be sent. */
  readonly raw: Hex;
  /** Their keccak-256: the hash of the transaction. */
  readonly hash: Hex;
}
