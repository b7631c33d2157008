import { Refusal } from '../errors.js';

/** The refusal for an answer with a status from 300 to 399. */
export function redirects(status: number): Refusal {
  return new Refusal(
    'bad-gateway',
    `the wallet redirects (${status}), which is not followed; name the address that it leads to in Wallet-Address`,
  );
}

const LONGEST_WAIT_S = 3_600;

/**
 * The seconds in a Retry-After, 1 to 3600. The header holds a number of seconds or a date. `now` is in ms since the epoch.
 */
export function secondsOf(header: string | undefined, now: number): number {
  const given = /^\d{1,9}(?:\.\d+)?$/.test(header ?? '')
    ? Number(header)
    : (Date.parse(header ?? '') - now) / 1_000;
  return Number.isNaN(given) ? 1 : Math.min(Math.max(Math.ceil(given), 1), LONGEST_WAIT_S);
}
