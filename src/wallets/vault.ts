import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';
import { deadlines } from './deadlines.js';
import { ttlCache } from '../system/ttl-cache.js';
import type { UnsignedTransaction, Wallet } from './port.js';
import type { Reachable } from './reach.js';
import { addressIn, signedIn } from './signed-answer.js';
import { vaultAccount } from './vault-account.js';
import { checkTransaction } from './vault-engine.js';
import { vaultExchange } from './vault-exchange.js';

/** How long the address of an account is believed, ms. */
const ACCOUNT_TTL_MS = 60_000;
const ACCOUNTS_KEPT = 10_000;
/** After these the account may not be what it was. */
const DOUBTFUL = new Set<unknown>(['forbidden', 'not-found', 'bad-gateway']);

/** Wallets in Vaults. */
export interface Vaults {
  /** The wallet of an account; nothing is asked yet. */
  wallet(place: Reachable, token: string): Wallet;
  /** Breaks off what is under way: it is refused as `unavailable`. */
  close(): Promise<void>;
}

/**
 * Opens the means to sign in HashiCorp Vault, with its engine vault-ethereum or ethsign. Whatever a wallet is asked
 * takes `timeoutMs` at most, all attempts together. `now` is in ms since the epoch.
 */
export function openVaults(options: { readonly timeoutMs: number; readonly now: () => number }): Vaults {
  const { timeoutMs, now } = options;
  const exchange = vaultExchange();
  const inTime = deadlines(timeoutMs);
  const accounts = ttlCache<UnsignedTransaction['from']>({ ttlMs: ACCOUNT_TTL_MS, max: ACCOUNTS_KEPT, now });

  return {
    wallet(place, token) {
      const account = vaultAccount(place, token, exchange, now);
      const key = keyOf(place.account.url, token);
      return {
        account: () =>
          accounts.get(key, () => inTime.within(async (signal) => addressIn(await account.read(signal)))),
        async sign(transaction, outer) {
          checkTransaction(transaction);
          try {
            const answer = await inTime.within((signal) => account.sign(transaction, signal), outer);
            return signedIn(answer, transaction);
          } catch (error) {
            if (error instanceof Refusal && DOUBTFUL.has(error.code)) accounts.delete(key);
            throw error;
          }
        },
      };
    },
    async close() {
      inTime.stop();
      exchange.close();
    },
  };
}

/** What is kept of an account is kept for those who show the token that it was told to. */
function keyOf(url: URL, token: string): string {
  return createHash('sha256')
    .update(JSON.stringify([url.href, token]))
    .digest('base64');
}
