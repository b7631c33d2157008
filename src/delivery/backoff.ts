import { type DeliveryContext, triableSince } from './delivery.js';
import type { Answer } from './port.js';

type RetryAnswer = Extract<Answer, { readonly result: 'retry' }>;

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

/**
 * Returns when the next attempt of a delivery is due, ms since the epoch: not after the time at which it is given up,
 * whatever delay the receiver asked for. `random`: uniform in [0, 1); `now`: ms since the epoch.
 */
export function nextAttemptAt(
  delivery: Pick<DeliveryContext, 'tries' | 'since' | 'released' | 'message'>,
  failed: { readonly answer: RetryAnswer; readonly random: number; readonly now: number },
  giveUpMs: number,
): number {
  const { answer, random, now } = failed;
  const delay = nextDelayMs({ attempt: delivery.tries + 1, random, retryAfterS: answer.retryAfterS });
  return Math.min(now + delay, now + longestDelayMs(delivery), triableSince(delivery) + giveUpMs);
}

/** The longest pause after a failed attempt at an alert that is sent again: the interval in which it is sent, ms. */
function longestDelayMs({ message }: Pick<DeliveryContext, 'message'>): number {
  return (message?.channel === 'webhook' ? message.resendMs : undefined) ?? Infinity;
}
