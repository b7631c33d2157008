import type { Hex } from '../system/chain-bytes.js';

/**
 * The wallets that callers name. Their methods throw `Refusal` with the codes of the interface: `bad-request`,
 * `unauthorized`, `forbidden`, `not-found`, `unavailable`, and `bad-gateway` for a wrong answer of the wallet.
 */
export interface Wallets {
  /**
   * Returns the wallet that a request names, after a look-up of its host. Sends no request to the wallet. Throws
   * `Refusal`.
   */
  open(named: NamedWallet): Promise<Wallet>;
  /** The default account, which signs for requests without a wallet; undefined if it is off. */
  readonly defaultWallet: Wallet | undefined;
  close(): Promise<void>;
}

/** The types of wallets that a caller can name. `openWallets` opens each of them. */
export const WALLET_TYPES = ['vault'] as const;

export type WalletType = (typeof WALLET_TYPES)[number];

/** The wallet of a caller, as named in the headers of the request. */
export interface NamedWallet {
  readonly type: WalletType;
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
