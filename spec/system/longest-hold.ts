import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** For how long at most some work held the event loop of this process without a break, ms. */
export async function longestHold(work: () => unknown): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // What comes before the clock's first tick, and behind its last one, is not seen.
  await delay(5);
  await work();
  await delay(5);
  delays.disable();
  return delays.max / 1e6;
}

/**
 * The least of several such holds, ms: what the work itself needs, where the machine has others to serve beside this
 * process now and then.
 */
export async function leastHold(work: () => unknown): Promise<number> {
  const holds: number[] = [];
  for (let time = 0; time < 5; time += 1) holds.push(await longestHold(work));
  return Math.min(...holds);
}
