import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';
import { fieldOf } from '../untrusted/json.js';
import { ttlCache } from '../system/ttl-cache.js';
import type { UnsignedTransaction, Wallet } from './port.js';
import { addressIn, signedIn } from './signed-answer.js';
import { vaultAccount } from './vault-account.js';
import { checkTransaction } from './vault-engine.js';
import type { WalletType } from './wallet-type.js';

/** Time for which the address of an account is cached, ms. */
const ACCOUNT_TTL_MS = 60_000;
const MAX_ACCOUNTS = 10_000;
/** Refusals after which the cached address of the account may be wrong. */
const ADDRESS_IN_DOUBT = new Set<unknown>(['forbidden', 'not-found', 'bad-gateway']);

/** A name of an account in Vault. */
const NAME = /^\w(?:[\w.-]{0,253}\w)?$/;
/** Statuses of GET /v1/sys/health for a Vault that serves nothing, in words. */
const FAULTS: Readonly<Record<number, string>> = {
  501: 'is not initialized',
  503: 'is sealed: unseal it',
};

/** Wallets in HashiCorp Vault with its engine vault-ethereum or ethsign. */
export const vault: WalletType = {
  name: 'Vault',
  form: {
    wanted:
      'the account’s http or https URL in Vault, such as https://vault.example.org/v1/ethereum/accounts/NAME',
    nameAt(segments) {
      const name = segments.at(-1)!;
      return segments.at(-2) === 'accounts' && NAME.test(name) ? name : undefined;
    },
  },
  token: { optional: false, origin: 'as Vault issued it' },
  health: {
    url(prefix) {
      const base = /^(.*?\/v1)(?:\/|$)/.exec(prefix)?.[1] ?? `${new URL(prefix).origin}/v1`;
      return `${base}/sys/health`;
    },
    read: (status, body) =>
      typeof fieldOf(body, 'sealed') === 'boolean' ? (FAULTS[status] ?? 'ok') : undefined,
  },
  open({ exchange, inTime, now }) {
    const accounts = ttlCache<UnsignedTransaction['from']>({ ttlMs: ACCOUNT_TTL_MS, max: MAX_ACCOUNTS, now });
    return (place, token): Wallet => {
      const account = vaultAccount(place, token, exchange, now);
      const key = keyOf(place.account.url, token);
      return {
        account: () =>
          accounts.get(key, () => inTime.within(async (signal) => addressIn(await account.read(signal)))),
        async sign(transaction, outer) {
          checkTransaction(transaction);
          try {
            const answer = await inTime.within((signal) => account.sign(transaction, signal), outer?.signal);
            return signedIn(answer, transaction);
          } catch (error) {
            if (error instanceof Refusal && ADDRESS_IN_DOUBT.has(error.code)) accounts.delete(key);
            throw error;
          }
        },
      };
    };
  },
};

/** The key of a cached address: the account and the token, since another token may not read the account. */
function keyOf(url: URL, token: string): string {
  return createHash('sha256')
    .update(JSON.stringify([url.href, token]))
    .digest('base64');
}
