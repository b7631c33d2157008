import type { Hex } from '../system/chain-bytes.js';
import { Refusal } from '../errors.js';
import type { Lookup } from '../untrusted/name-lookup.js';
import { keyWallet } from './key-wallet.js';
import type { Wallets } from './port.js';
import { reachOf } from './reach.js';
import { openVaults } from './vault.js';

/** How long a wallet may take to answer, ms. */
const TIMEOUT_MS = 10_000;
/** Longest token that is taken, characters; those of Vault have some hundred. */
const LONGEST_TOKEN = 8_192;

/** Which wallets may sign. */
export interface WalletOptions {
  /** URL prefixes that accounts must lie under (WALLET_ADDRESSES). */
  readonly addresses: readonly string[] | undefined;
  /** Without `addresses`, production allows no wallet to be named, development those on this machine. */
  readonly production: boolean;
  /** The private key of the account of callers who name no wallet (DEFAULT_ACCOUNT_KEY). */
  readonly defaultKey: Hex | undefined;
  /** Default: the machine's own. */
  readonly lookup?: Lookup;
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Opens the wallets of the ledger. Throws an `Error` for a key or an address that is none. */
export function openWallets(options: WalletOptions): Wallets {
  const { defaultKey, timeoutMs = TIMEOUT_MS, now } = options;
  const reach = reachOf(options);
  const defaultWallet = defaultKey === undefined ? undefined : keyWallet(defaultKey);
  const vaults = openVaults({ timeoutMs, now });
  return {
    async open({ address, token }) {
      if (token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
        throw new Refusal(
          'bad-request',
          `Wallet-Token must be 1 to ${LONGEST_TOKEN} printable ASCII characters without blanks, as Vault issued it`,
        );
      }
      return vaults.wallet(await reach(address), token);
    },
    defaultWallet,
    close: () => vaults.close(),
  };
}
