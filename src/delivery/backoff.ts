const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Receivers that name the same second are not all called back in the same instant. */
const SPREAD_MS = 1_000;

/**
 * Milliseconds to wait before the next attempt: exponential from 1 s to at most 5 min, with full jitter. A receiver
 * that asked for `retryAfterS` seconds gets at least those, and at most one second more unless the back-off is longer.
 * `attempt` counts the attempts that failed, from 1; `random` is uniform in [0, 1).
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
