import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until something other than undefined comes; throws with `otherwise()` when the time is over. */
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
