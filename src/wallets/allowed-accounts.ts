import { Refusal } from '../errors.js';
import { kindOfAddress } from '../untrusted/address-ranges.js';
import { reasonOf } from '../untrusted/reason.js';
import { type HostAddress, type Lookup, nameLookup } from '../untrusted/name-lookup.js';
import { ttlCache } from '../system/ttl-cache.js';
import { type AccountAddress, type AccountForm, accountAddress, underPrefixes } from './wallet-address.js';

/** An account that callers may name. */
export interface AllowedAccount {
  readonly account: AccountAddress;
  /** The only addresses to connect to. */
  readonly addresses: readonly HostAddress[];
}

export interface AllowedAccountsOptions {
  /** WALLET_ADDRESSES: URL prefixes of the accounts that may be named. */
  readonly addresses: readonly string[] | undefined;
  /** Without `addresses`, no wallet may be named in production, and those on this machine else. */
  readonly production: boolean;
  /** Default: the resolver of the machine. */
  readonly lookup?: Lookup | undefined;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Time for which the addresses of a name are cached, ms. */
const LOOKUP_TTL_MS = 5_000;
const MAX_NAMES = 1_000;

/**
 * Makes the check of a Wallet-Address: it returns the account with the addresses of its host. Accounts under `addresses`
 * (WALLET_ADDRESSES) are allowed. Without that setting, production allows none, and others those on this machine. The
 * check throws `Refusal`: `bad-request` for a text that is not an address of an account, `forbidden`, and `unavailable`
 * if the name cannot be looked up. `allowedAccounts` throws an `Error` for a wrong setting.
 */
export function allowedAccounts(
  options: AllowedAccountsOptions,
): (walletAddress: string, form: AccountForm) => Promise<AllowedAccount> {
  const { addresses: prefixes, production, lookup = nameLookup(), now } = options;
  const isListed = prefixes && underPrefixes(prefixes);
  const names = ttlCache<readonly HostAddress[]>({ ttlMs: LOOKUP_TTL_MS, max: MAX_NAMES, now });

  return async (walletAddress, form) => {
    const account = accountAddress(walletAddress, form);
    if (isListed === undefined ? production : !isListed(account)) throw refused(isListed !== undefined);
    const addresses = account.isIp ? [asHostAddress(account.host)] : await lookedUp(account.host);
    const isOutside = ({ address }: HostAddress): boolean => kindOfAddress(address) !== 'a loopback address';
    if (isListed === undefined && addresses.some(isOutside)) throw elsewhere();
    return { account, addresses };
  };

  async function lookedUp(host: string): Promise<readonly HostAddress[]> {
    try {
      return await names.get(host, () => lookup(host));
    } catch (error) {
      throw new Refusal(
        'unavailable',
        `the host of Wallet-Address, ${host}, cannot be looked up: ${reasonOf(error)}; nothing was done`,
        { cause: error },
      );
    }
  }
}

function asHostAddress(host: string): HostAddress {
  return { address: host, family: host.includes(':') ? 6 : 4 };
}

function refused(isSet: boolean): Refusal {
  return new Refusal(
    'forbidden',
    isSet
      ? 'Wallet-Address lies under none of the addresses that the setting WALLET_ADDRESSES allows'
      : 'no Wallet-Address is allowed until the setting WALLET_ADDRESSES lists where wallets may be',
  );
}

function elsewhere(): Refusal {
  return new Refusal(
    'forbidden',
    'Wallet-Address leads away from this machine; without the setting WALLET_ADDRESSES only wallets on it are allowed',
  );
}
