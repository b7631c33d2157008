import { setTimeout as pause } from 'node:timers/promises';
import { fieldOf } from '../untrusted/json.js';
import type { UnsignedTransaction } from './port.js';
import type { Reachable } from './reach.js';
import { type Asked, crashedRefusal, isCrash, missingAccount, refusalOf } from './vault-answer.js';
import type { VaultAnswer, VaultExchange, VaultRequest } from './vault-exchange.js';
import { engineOf } from './vault-engine.js';

/** An account in a Vault, as one caller may use it. Both give answers of status 200, and throw `Refusal` for others. */
export interface VaultAccount {
  read(signal: AbortSignal): Promise<VaultAnswer>;
  sign(transaction: UnsignedTransaction, signal: AbortSignal): Promise<VaultAnswer>;
}

/** How often a request is made that an engine ended over. Each may end it anew where the account is not there. */
const ATTEMPTS = { listed: 5, unlisted: 3 };
/** How often an engine is asked for its list, until it is back. */
const LISTINGS = 5;
/** An engine is back within a tenth of a second; each pause is twice the one before. */
const FIRST_PAUSE_MS = 100;

function pauseAfter(attempt: number, signal: AbortSignal): Promise<void> {
  return pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
}

type Listing = 'has it' | 'lacks it' | 'forbidden' | 'no answer';

/** Asks the secret engine that an account is in. `now` is in ms since the epoch. */
export function vaultAccount(
  place: Reachable,
  token: string,
  exchange: VaultExchange,
  now: () => number,
): VaultAccount {
  const { account, addresses } = place;
  const engine = engineOf(account);
  const common = { account: account.url.href, addresses, token };

  async function listing(signal: AbortSignal, attempt = 1): Promise<Listing> {
    const url = new URL('../accounts?list=true', account.url);
    const { status, body } = await exchange.ask({ ...common, url, signal });
    if (status === 403) return 'forbidden';
    // Vault has no empty lists.
    if (status === 404) return 'lacks it';
    const keys = fieldOf(body, 'data', 'keys');
    if (!Array.isArray(keys)) {
      if (attempt === LISTINGS) return 'no answer';
      await pauseAfter(attempt, signal);
      return listing(signal, attempt + 1);
    }
    return keys.includes(account.name) ? 'has it' : 'lacks it';
  }

  /** A missing account and another's request end vault-ethereum alike: only its list tells them apart. */
  async function ask(asked: Asked, request: VaultRequest, attempt = 1): Promise<VaultAnswer> {
    const answer = await exchange.ask(request);
    const refusal = refusalOf(answer, asked, now());
    if (refusal === undefined) return answer;
    if (!isCrash(answer)) throw refusal;
    const listed = await listing(request.signal);
    if (listed === 'lacks it') throw missingAccount();
    const most = listed === 'forbidden' ? ATTEMPTS.unlisted : ATTEMPTS.listed;
    if (attempt >= most || listed === 'no answer') throw crashedRefusal(listed !== 'forbidden');
    await pauseAfter(attempt, request.signal);
    return ask(asked, request, attempt + 1);
  }

  return {
    read: (signal) =>
      ask({ engine, step: 'read', gasPrice: undefined }, { ...common, url: account.url, signal }),
    sign(transaction, signal) {
      const url = new URL(`${account.url.href}/${engine.signPath}`);
      const body = engine.request(transaction);
      return ask({ engine, step: 'sign', gasPrice: transaction.gasPrice }, { ...common, url, signal, body });
    },
  };
}
