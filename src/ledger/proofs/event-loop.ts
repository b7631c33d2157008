import { setTimeout as delay } from 'node:timers/promises';

/** Share of its time for which a busy event loop is at work. */
const BUSY = 0.7;
const PAUSE_MS = 50;

/** An event loop, as far as its load goes. */
export interface EventLoop {
  /** Returns the share of time for which it was at work since the call before: 0 to 1. */
  readonly utilization: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** ms of a clock that nobody sets. */
  readonly clock: () => number;
}

/** The event loop of this process. `stopped` ends its pauses, with its reason. */
export function ownEventLoop(stopped: AbortSignal): EventLoop {
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

/** Waits while an event loop is busy, at most until a time of its clock, and not while the work is urgent. */
export async function whileBusy(
  { utilization, pause, clock }: EventLoop,
  end: number,
  isUrgent: () => boolean,
): Promise<void> {
  while (utilization() > BUSY && clock() < end && !isUrgent()) await pause(PAUSE_MS);
}
