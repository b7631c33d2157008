import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns the longest time that some work held the event loop of this process, ms. */
async function longestHold(work: () => unknown): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The monitor misses holds before its first tick and after its last one.
  await delay(5);
  await work();
  await delay(5);
  delays.disable();
  return delays.max / 1e6;
}

/** Returns the shortest of at most five such holds, ms: see `leastOf`. */
export function leastHold(work: () => unknown, enough?: number): Promise<number> {
  return leastOf(() => longestHold(work), enough);
}

/**
 * Returns the shortest of at most five times that `measure` returns, ms. Other load on the machine only lengthens a time. After
 * one below `enough` no more are measured.
 */
export async function leastOf(measure: () => number | Promise<number>, enough = 0): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 5 && least >= enough; time += 1) least = Math.min(least, await measure());
  return least;
}
