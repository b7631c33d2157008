import { setTimeout as pause } from 'node:timers/promises';

/**
 * Time limit, in milliseconds, of what a spec waits for without a promise of how soon it comes: no machine is so slow. It is below
 * the time limit of a spec, whose error says less.
 */
export const SOON_MS = 120_000;

/**
 * Polls until a value other than undefined. Throws an error with `otherwise()` at the time limit: after an `ask` that began later,
 * so that the time that an `ask` takes does not count.
 */
export async function eventually<T>(
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs: number,
  otherwise: () => string | Promise<string>,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const isLast = performance.now() > deadline;
    const found = await ask();
    if (found !== undefined) return found;
    if (isLast) throw new Error(await otherwise());
    await pause(20);
  }
}
