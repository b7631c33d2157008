import type { Hex } from '../system/chain-bytes.js';
import { Refusal } from '../errors.js';
import type { Lookup } from '../untrusted/name-lookup.js';
import { keyWallet } from './key-wallet.js';
import type { NamedWallet, Wallet, Wallets, WalletType } from './port.js';
import { allowedAccounts } from './allowed-accounts.js';
import { openVaults } from './vault.js';

/** Maximum time for an answer of a wallet, ms. */
const TIMEOUT_MS = 10_000;
/** Longest token, characters. Tokens of Vault have about a hundred. */
const LONGEST_TOKEN = 8_192;

/** The wallets that may sign. */
export interface WalletOptions {
  /** WALLET_ADDRESSES: URL prefixes of the accounts that may be named. */
  readonly addresses: readonly string[] | undefined;
  /** Without `addresses`, no wallet may be named in production, and those on this machine else. */
  readonly production: boolean;
  /** DEFAULT_ACCOUNT_KEY: private key of the account of callers who name no wallet. */
  readonly defaultKey: Hex | undefined;
  /** Default: the resolver of the machine. */
  readonly lookup?: Lookup;
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Opens the wallets of the ledger. Throws an `Error` for an invalid key or address. */
export function openWallets(options: WalletOptions): Wallets {
  const { defaultKey, timeoutMs = TIMEOUT_MS, now } = options;
  const reach = allowedAccounts(options);
  const defaultWallet = defaultKey === undefined ? undefined : keyWallet(defaultKey);
  const vaults = openVaults({ timeoutMs, now });
  /** Opens the wallets of each type. */
  const openers: Readonly<Record<WalletType, (named: NamedWallet) => Promise<Wallet>>> = {
    async vault({ address, token }) {
      if (token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
        throw new Refusal(
          'bad-request',
          `Wallet-Token must be 1 to ${LONGEST_TOKEN} printable ASCII characters without blanks, as Vault issued it`,
        );
      }
      return vaults.wallet(await reach(address), token);
    },
  };
  return {
    open: (named) => openers[named.type](named),
    defaultWallet,
    close: () => vaults.close(),
  };
}
