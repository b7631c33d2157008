import type { Wallet } from './port.js';
import * as types from './types.js';
import type { WalletType } from './wallet-type.js';

/** A value of Wallet-Type, in lower case. */
export type WalletTypeName = keyof typeof types;

/** The types of wallets that a caller can name. */
export const walletTypes: Readonly<Record<WalletTypeName, WalletType>> = types;

export const WALLET_TYPE_NAMES = Object.keys(walletTypes) as readonly WalletTypeName[];

/** The wallet of a caller, as named in the headers of the request. */
export interface NamedWallet {
  readonly type: WalletTypeName;
  /** The account's URL. */
  readonly address: string;
  /** Never stored, logged or echoed. Empty if none was sent for a type that needs none. */
  readonly token: string;
}

/** The wallets that callers name. */
export interface Wallets {
  /**
   * Returns the wallet that a request names, after a look-up of its host. Sends no request to the wallet. Throws
   * `Refusal`: `bad-request`, `forbidden` and `unavailable`.
   */
  open(named: NamedWallet): Promise<Wallet>;
  /** The default account, which signs for requests without a wallet; undefined if it is off. */
  readonly defaultWallet: Wallet | undefined;
  close(): Promise<void>;
}
