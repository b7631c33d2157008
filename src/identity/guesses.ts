import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';

/** Wrong guesses at secrets, counted for each client address and each thing that it guesses at. */
export interface Guesses {
  /**
   * Judges a guess, unless too many were wrong: then it is refused whatever it is. `key` names who guesses at what.
   * Throws `Refusal`: `too-many-requests`, and what `judge` throws, of which `unauthorized` and `forbidden` count.
   */
  judged<T>(key: readonly string[], judge: () => T): T;
}

/** Wrong guesses that may come at once. */
const BURST = 10;
/** After which one more may, ms. */
const PAUSE_MS = 30_000;
/** Keys that are remembered at most: about 2 MB. The one that guessed longest ago is forgotten first. */
const REMEMBERED = 10_000;

/**
 * Makes the count of a node, in memory alone. Keys are kept as hashes. A guess that is right forgets the wrong ones, and
 * what is refused without a look counts for nothing.
 */
export function guesses(now: () => number = Date.now): Guesses {
  /** When all that may come at once may come again, ms: each wrong guess puts it off. */
  const restored = new Map<string, number>();

  const count = (id: string): void => {
    const from = Math.max(restored.get(id) ?? 0, now());
    // Behind the others: the first of the map is who guessed longest ago.
    restored.delete(id);
    if (restored.size >= REMEMBERED) restored.delete(restored.keys().next().value!);
    restored.set(id, from + PAUSE_MS);
  };

  return {
    judged(key, judge) {
      const id = createHash('sha256').update(JSON.stringify(key)).digest('base64');
      const waitMs = (restored.get(id) ?? 0) - now() - (BURST - 1) * PAUSE_MS;
      if (waitMs > 0) {
        const retryAfterS = Math.ceil(waitMs / 1000);
        throw new Refusal(
          'too-many-requests',
          `too many wrong attempts from this client address: what was sent was not looked at; send it again in ${retryAfterS} s`,
          { retryAfterS },
        );
      }
      try {
        const right = judge();
        restored.delete(id);
        return right;
      } catch (error) {
        const isWrong = error instanceof Refusal && ['unauthorized', 'forbidden'].includes(error.code);
        if (isWrong) count(id);
        throw error;
      }
    },
  };
}
