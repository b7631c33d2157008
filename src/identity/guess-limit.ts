import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';
import { steadyClock } from '../system/steady-clock.js';

/** Wrong guesses allowed in a row. */
const BURST = 10;
/** Time until one more wrong guess is allowed, ms. */
const PAUSE_MS = 30_000;
/**
 * Maximum number of keys in memory, about 4 MB. Above it the half with the fewest wrong guesses is dropped: an attacker
 * cannot erase the count of one account by guesses at many others.
 */
const MAX_KEYS = 20_000;

/**
 * Limits wrong guesses at secrets by client address and guessed account: on one node, in memory. Keys are stored as
 * hashes. A right guess resets its key. A guess refused without a check does not count.
 */
export function guessLimit(clock: () => number = Date.now) {
  const now = steadyClock(clock);
  /** Time by which the key has its full burst again, ms since the epoch. Each wrong guess defers it. */
  const restored = new Map<string, number>();
  /** Hashes of the last wrong guesses of keys in `restored`. */
  const lastWrong = new Map<string, string>();

  const forget = (id: string): void => {
    restored.delete(id);
    lastWrong.delete(id);
  };

  const makeRoom = (): void => {
    const times = Float64Array.from(restored.values()).toSorted();
    const middle = times[Math.floor(times.length / 2)]!;
    for (const [id, at] of restored) if (at <= middle) forget(id);
  };

  const count = (id: string): void => {
    const before = restored.get(id);
    if (before === undefined && restored.size >= MAX_KEYS) makeRoom();
    restored.set(id, Math.max(before ?? 0, now()) + PAUSE_MS);
  };

  /** Returns the id of a key that may be guessed at. */
  const admitted = (key: readonly string[]): string => {
    const id = hashOf(JSON.stringify(key));
    const waitMs = (restored.get(id) ?? 0) - now() - (BURST - 1) * PAUSE_MS;
    if (waitMs <= 0) return id;
    const retryAfterS = Math.ceil(waitMs / 1000);
    throw new Refusal(
      'too-many-requests',
      `too many wrong attempts from this client address: what was sent was not looked at; send it again in ${retryAfterS} s`,
      { retryAfterS },
    );
  };

  return {
    /**
     * Runs `check` unless `key`, the client and its target, has too many wrong guesses. Throws `Refusal`:
     * `too-many-requests`, and the error of `check`. The errors `unauthorized` and `forbidden` count as wrong guesses. With
     * `guess`, the secret that is checked, the last wrong one counts once however often it comes: a program with an old secret
     * repeats it for ever, and must not lock out others at its address.
     */
    limited<T>(key: readonly string[], check: () => T, guess?: string): T {
      const guessed = guess === undefined ? undefined : hashOf(guess);
      if (guessed !== undefined && lastWrong.get(hashOf(JSON.stringify(key))) === guessed) return check();
      const id = admitted(key);
      try {
        const result = check();
        forget(id);
        return result;
      } catch (error) {
        if (isWrongGuess(error)) {
          count(id);
          if (guessed !== undefined) lastWrong.set(id, guessed);
        }
        throw error;
      }
    },
    /**
     * As `limited`, for a check that takes time. A check in progress counts as a wrong guess until it ends: concurrent
     * guesses are limited too.
     */
    async limitedLater<T>(key: readonly string[], check: () => Promise<T>): Promise<T> {
      const id = admitted(key);
      count(id);
      try {
        const result = await check();
        forget(id);
        return result;
      } catch (error) {
        const until = restored.get(id);
        if (!isWrongGuess(error) && until !== undefined) restored.set(id, until - PAUSE_MS);
        throw error;
      }
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function isWrongGuess(error: unknown): boolean {
  return error instanceof Refusal && ['unauthorized', 'forbidden'].includes(error.code);
}
