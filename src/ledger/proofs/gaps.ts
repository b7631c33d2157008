import { setTimeout as delay } from 'node:timers/promises';

/** Share of its time for which the event loop is at work, from which on there is no gap. */
const BUSY = 0.7;
const PAUSE_MS = 50;

/** What tells the gaps in the work of a process. */
export interface Gaps {
  /** Returns the share of time for which the event loop was at work since the call before: 0 to 1. */
  readonly utilization: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** ms of a clock that nobody sets. */
  readonly clock: () => number;
}

/** The gaps in the work of this process. `stopped` ends the waits for one, with its reason. */
export function processGaps(stopped: AbortSignal): Gaps {
  let last = performance.eventLoopUtilization();
  return {
    utilization() {
      const before = last;
      last = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(last, before).utilization;
    },
    pause: (ms) => delay(ms, undefined, { signal: stopped, ref: false }),
    clock: () => performance.now(),
  };
}

/** Waits for a gap, at the latest until a time of its clock. */
export async function nextGap({ utilization, pause, clock }: Gaps, until: number): Promise<void> {
  while (utilization() > BUSY && clock() < until) await pause(PAUSE_MS);
}
