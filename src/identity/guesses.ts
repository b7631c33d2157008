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
/**
 * Keys that are remembered at most: about 4 MB. Then the half is forgotten that may guess again soonest: who guesses at
 * many accounts must not be able to have his guesses at one of them forgotten.
 */
const REMEMBERED = 20_000;

/**
 * Makes the count of a node, in memory alone. Keys are kept as hashes. A guess that is right forgets the wrong ones, and
 * what is refused without a look counts for nothing.
 */
export function guesses(now: () => number = Date.now): Guesses {
  /** When all that may come at once may come again, ms: each wrong guess puts it off. */
  const restored = new Map<string, number>();

  const makeRoom = (): void => {
    const times = Float64Array.from(restored.values()).toSorted();
    const middle = times[Math.floor(times.length / 2)]!;
    for (const [id, at] of restored) if (at <= middle) restored.delete(id);
  };

  const count = (id: string): void => {
    const before = restored.get(id);
    if (before === undefined && restored.size >= REMEMBERED) makeRoom();
    restored.set(id, Math.max(before ?? 0, now()) + PAUSE_MS);
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
