import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The scheduler's figures of the thread that runs the event loop of the process. Linux has them. */
const FIGURES = `/proc/self/task/${process.pid}/schedstat`;

/**
 * Returns the longest time for which one turn of the event loop of this process computed during some work, ms. It is the CPU time
 * of the thread, so that neither other processes nor other threads lengthen it. The scheduler counts in ticks of some ms. Without
 * its figures it is the time of a turn. Turns that are together shorter than a ms are one.
 */
export async function longestTurn(work: () => unknown): Promise<number> {
  const cpu = openCpu();
  let longest = 0;
  let [atCpu, at] = [cpu.now(), performance.now()];
  let next: NodeJS.Timeout;
  const turn = (): void => {
    const [nowCpu, now] = [cpu.now(), performance.now()];
    // A tick may also count what an earlier turn computed. No turn computes for longer than it lasts.
    longest = Math.max(longest, Math.min(nowCpu - atCpu, now - at));
    [atCpu, at] = [nowCpu, now];
    next = setTimeout(turn, 1);
  };
  next = setTimeout(turn, 1);
  try {
    await work();
    // The turn that ends the work.
    await delay(5);
    return longest;
  } finally {
    clearTimeout(next);
    cpu.close();
  }
}

/** Opens the CPU time of the thread, ms. */
function openCpu(): { now: () => number; close: () => void } {
  let file: number;
  try {
    file = openSync(FIGURES, 'r');
  } catch {
    return { now: () => performance.now(), close: () => undefined };
  }
  const bytes = Buffer.alloc(64);
  return {
    now: () => Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)), 10) / 1e6,
    close: () => closeSync(file),
  };
}
