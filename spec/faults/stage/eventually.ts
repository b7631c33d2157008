import { setTimeout as pause } from 'node:timers/promises';

/** Time limit, in milliseconds, of what a spec waits for without a promise of how soon it comes. */
export const SOON_MS = 20_000;

/** Polls until a value other than undefined. Throws an error with `otherwise()` at the time limit. */
export async function eventually<T>(
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs: number,
  otherwise: () => string | Promise<string>,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(await otherwise());
    await pause(20);
  }
}
