import { setTimeout as pause } from 'node:timers/promises';
import { fieldOf, jsonOf } from '../untrusted/json.js';
import type { LegacyTransaction } from './port.js';
import type { AllowedAccount } from './allowed-accounts.js';
import type { WalletExchange, WalletRequest } from './exchange.js';
import {
  type Asked,
  crashedRefusal,
  isCrash,
  missingAccount,
  refusalOf,
  type VaultAnswer,
} from './vault-answer.js';
import { engineOf } from './vault-engine.js';

/**
 * Maximum number of attempts at a request over which the engine ends. If the account is missing, each attempt ends the
 * engine.
 */
const ATTEMPTS = { listed: 5, unlisted: 3 };
/** Maximum number of attempts to list the accounts until the engine is back. */
const LISTINGS = 5;
/** First pause before the next attempt, ms; it doubles each time. An engine is back within 0.1 s. */
const FIRST_PAUSE_MS = 100;

function pauseAfter(attempt: number, signal: AbortSignal): Promise<void> {
  return pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
}

type Listing = 'has it' | 'lacks it' | 'forbidden' | 'no answer';

/**
 * Makes the account of a secret engine in a Vault, with the token of one caller. Its methods resolve with answers of status
 * 200, and throw `Refusal`. `now` is in ms since the epoch.
 */
export function vaultAccount(
  place: AllowedAccount,
  token: string,
  exchange: WalletExchange,
  now: () => number,
) {
  const { account, addresses } = place;
  const engine = engineOf(account);
  const headers = {
    accept: 'application/json',
    'x-vault-token': token,
    // Vault agents may require it: pages of a browser cannot send it.
    'x-vault-request': 'true',
  };
  const common = { account: account.url.href, addresses, headers, token };

  async function send(request: WalletRequest): Promise<VaultAnswer> {
    const { status, retryAfter, text } = await exchange.send(request);
    return { status, retryAfter, body: jsonOf(text) };
  }

  async function listing(signal: AbortSignal, attempt = 1): Promise<Listing> {
    const url = new URL('../accounts?list=true', account.url);
    const { status, body } = await send({ ...common, url, signal });
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

  /**
   * A request for a missing account ends vault-ethereum, and so may the request of another caller. Only the list of accounts
   * tells the two apart.
   */
  async function answerTo(asked: Asked, request: WalletRequest, attempt = 1): Promise<VaultAnswer> {
    const answer = await send(request);
    const refusal = refusalOf(answer, asked, now());
    if (refusal === undefined) return answer;
    if (!isCrash(answer)) throw refusal;
    const listed = await listing(request.signal);
    if (listed === 'lacks it') throw missingAccount();
    const most = listed === 'forbidden' ? ATTEMPTS.unlisted : ATTEMPTS.listed;
    if (attempt >= most || listed === 'no answer') throw crashedRefusal(listed !== 'forbidden');
    await pauseAfter(attempt, request.signal);
    return answerTo(asked, request, attempt + 1);
  }

  return {
    read: (signal: AbortSignal) =>
      answerTo({ engine, step: 'read', gasPrice: undefined }, { ...common, url: account.url, signal }),
    sign(transaction: LegacyTransaction, signal: AbortSignal) {
      const url = new URL(`${account.url.href}/${engine.signPath}`);
      const body = engine.request(transaction);
      return answerTo(
        { engine, step: 'sign', gasPrice: transaction.gasPrice },
        { ...common, url, signal, body },
      );
    },
  };
}
