import type { Answer } from './port.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Spreads the attempts at receivers that all name the same second. */
const SPREAD_MS = 1_000;

/**
 * Returns the delay before the next attempt, ms: exponential from 1 s to at most 5 min, with full jitter. A receiver that
 * asked for `retryAfterS` seconds gets at least those, and at most one second more unless the back-off is longer.
 * `attempt`: the number of failed attempts, from 1; `random`: uniform in [0, 1).
 */
export function nextDelayMs(given: {
  readonly attempt: number;
  readonly random: number;
  readonly retryAfterS?: number | undefined;
}): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** (given.attempt - 1));
  const jittered = Math.round(given.random * ceiling);
  if (given.retryAfterS === undefined) return jittered;
  return Math.max(jittered, Math.round(given.retryAfterS * 1_000 + given.random * SPREAD_MS));
}

/** A failed attempt, as the time of the next one depends on it. Times are in ms since the epoch. */
export interface FailedAttempt {
  readonly answer: Extract<Answer, { readonly result: 'retry' }>;
  /** Attempts before this one. */
  readonly tries: number;
  /** Uniform in [0, 1). */
  readonly random: number;
  readonly now: number;
  /** The delivery is given up then: its last attempt is not later, whatever delay the receiver asked for. */
  readonly giveUpAt: number;
}

/** Returns when the next attempt is due, ms since the epoch. */
export function nextAttemptAt({ answer, tries, random, now, giveUpAt }: FailedAttempt): number {
  const delay = nextDelayMs({ attempt: tries + 1, random, retryAfterS: answer.retryAfterS });
  return Math.min(now + delay, giveUpAt);
}
