import type { Hex } from '../system/chain-bytes.js';
import { Refusal } from '../errors.js';
import { allowedAccounts, type AllowedAccountsOptions } from './allowed-accounts.js';
import { deadlines } from './deadlines.js';
import { walletExchange } from './exchange.js';
import { keyWallet } from './key-wallet.js';
import { type Wallets, WALLET_TYPE_NAMES, walletTypes } from './named-wallet.js';
import type { WalletParts, WalletType } from './wallet-type.js';

/** Maximum time for an answer of a wallet, ms. */
const TIMEOUT_MS = 10_000;
/** Longest token, characters. Tokens of Vault have about a hundred. */
const LONGEST_TOKEN = 8_192;

/** The wallets that may sign. */
export interface WalletOptions extends AllowedAccountsOptions {
  /** DEFAULT_ACCOUNT_KEY: private key of the account of callers who name no wallet. */
  readonly defaultKey: Hex | undefined;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}

/** Opens the wallets of the ledger. Throws an `Error` for an invalid key or address. */
export function openWallets(options: WalletOptions): Wallets {
  const { defaultKey, timeoutMs = TIMEOUT_MS, now } = options;
  const reach = allowedAccounts(options);
  const defaultWallet = defaultKey === undefined ? undefined : keyWallet(defaultKey);
  const exchange = walletExchange();
  const inTime = deadlines(timeoutMs);
  const parts: WalletParts = { exchange, inTime, now };
  const openers = new Map(WALLET_TYPE_NAMES.map((name) => [name, walletTypes[name].open(parts)]));
  return {
    async open({ type, address, token }) {
      checkToken(token, walletTypes[type].token);
      return openers.get(type)!(await reach(address, walletTypes[type].form), token);
    },
    defaultWallet,
    /** Ends all requests: they are refused as `unavailable`. */
    async close() {
      inTime.stop();
      exchange.close();
    },
  };
}

function checkToken(token: string, { optional, origin }: WalletType['token']): void {
  if (token === '' && optional) return;
  if (token.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(token)) return;
  throw new Refusal(
    'bad-request',
    `Wallet-Token must be 1 to ${LONGEST_TOKEN} printable ASCII characters without blanks, ${origin}`,
  );
}
