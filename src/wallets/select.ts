import type { Hex } from '../system/chain-bytes.js';
import { Refusal } from '../errors.js';
import { keyWallet } from './key-wallet.js';
import type { NamedWallet, Wallet, Wallets, WalletType } from './port.js';
import { allowedAccounts, type AllowedAccountsOptions } from './allowed-accounts.js';
import { openVaults } from './vault.js';

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
