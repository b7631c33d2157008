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
