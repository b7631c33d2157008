import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';
import { ttlCache } from '../system/ttl-cache.js';
import type { UnsignedTransaction, Wallet } from './port.js';
import type { AllowedAccount } from './allowed-accounts.js';
import { addressIn, signedIn } from './signed-answer.js';
import { vaultAccount } from './vault-account.js';
import { checkTransaction } from './vault-engine.js';
import { vaultExchange } from './vault-exchange.js';

/** Time for which the address of an account is cached, ms. */
const ACCOUNT_TTL_MS = 60_000;
const MAX_ACCOUNTS = 10_000;
/** Refusals after which the cached address of the account may be wrong. */
const ADDRESS_IN_DOUBT = new Set<unknown>(['forbidden', 'not-found', 'bad-gateway']);

/**
 * Opens wallets in HashiCorp Vault with its engine vault-ethereum or ethsign. Each call of a wallet takes `timeoutMs` at
 * most, all its attempts together. `now` is in ms since the epoch.
 */
export function openVaults(options: { readonly timeoutMs: number; readonly now: () => number }) {
  const { timeoutMs, now } = options;
  const exchange = vaultExchange();
  const inTime = deadlines(timeoutMs);
  const accounts = ttlCache<UnsignedTransaction['from']>({ ttlMs: ACCOUNT_TTL_MS, max: MAX_ACCOUNTS, now });

  return {
    /** The wallet of an account. Nothing is sent yet. */
    wallet(place: AllowedAccount, token: string): Wallet {
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
    },
    /** Ends all requests: they are refused as `unavailable`. */
    async close() {
      inTime.stop();
      exchange.close();
    },
  };
}

/** The key of a cached address: the account and the token, since another token may not read the account. */
function keyOf(url: URL, token: string): string {
  return createHash('sha256')
    .update(JSON.stringify([url.href, token]))
    .digest('base64');
}

/** Limits each piece of work at wallets to `timeoutMs`. */
function deadlines(timeoutMs: number) {
  const active = new Set<AbortController>();
  let stopped = false;

  return {
    /**
     * Runs `work`. When its time is over, its signal is aborted and the promise rejects with `Refusal('unavailable')`. If
     * `outer` is aborted before, the signal and the rejection have its reason.
     */
    async within<T>(work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
      const running = new AbortController();
      const expire = (): void =>
        running.abort(unavailable(`the wallet did not answer in ${timeoutMs / 1_000} s`));
      const timer = setTimeout(expire, timeoutMs);
      const abort = (): void => running.abort(outer?.reason);
      outer?.addEventListener('abort', abort);
      active.add(running);
      try {
        if (stopped) throw unavailable(STOPS);
        return await work(running.signal);
      } catch (error) {
        throw running.signal.aborted ? running.signal.reason : error;
      } finally {
        clearTimeout(timer);
        outer?.removeEventListener('abort', abort);
        active.delete(running);
      }
    },
    /** Aborts all work. It and all later work rejects with `Refusal('unavailable')`. */
    stop() {
      stopped = true;
      for (const running of active) running.abort(unavailable(STOPS));
    },
  };
}

const STOPS = 'the service stops';

function unavailable(why: string): Refusal {
  return new Refusal('unavailable', `${why}; nothing was done`);
}
