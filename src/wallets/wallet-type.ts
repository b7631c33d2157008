import type { AllowedAccount } from './allowed-accounts.js';
import type { Deadlines } from './deadlines.js';
import type { WalletExchange } from './exchange.js';
import type { Wallet } from './port.js';
import type { AccountForm } from './wallet-address.js';

/** What a type of wallet gives. A new type is a file with one of these, and a line in types.ts. */
export interface WalletType {
  /** For messages. */
  readonly name: string;
  /** The form of a Wallet-Address. */
  readonly form: AccountForm;
  readonly token: {
    /** True if a wallet may be named without a Wallet-Token. The token is empty then. */
    readonly optional: boolean;
    /** Which token it is, after "Wallet-Token must be … characters without blanks, ". */
    readonly origin: string;
  };
  /** How to recognise its servers. */
  readonly health: {
    /** The address to GET for a prefix of WALLET_ADDRESSES. */
    readonly url: (prefix: string) => string;
    /**
     * Reads the answer, its body as parsed JSON: `ok`, or what is wrong, after "the … at …". undefined for an answer that no
     * such server gives.
     */
    readonly read: (status: number, body: unknown) => string | undefined;
  };
  /** Returns what makes a wallet of an allowed account and a token. Nothing is sent until the wallet is used. */
  readonly open: (parts: WalletParts) => (place: AllowedAccount, token: string) => Wallet;
}

/** What all wallets share. */
export interface WalletParts {
  readonly exchange: WalletExchange;
  /** Each call of a wallet runs within these, all its attempts together. */
  readonly inTime: Deadlines;
  /** ms since the epoch. */
  readonly now: () => number;
}
