import { useEffect } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';

/** Pause between two readings of a sentence that says how long ago the last measurement came, ms. */
const SILENT_MS = 5_000;
/** Maximum wait, ms. A mute may last longer than a browser's timer, which takes 25 days at most. */
const LONGEST_MS = 3_600_000;
/** Time from the end of a mute to the reading, ms. */
const AFTER_MS = 250;

/**
 * Reads the server again when time alone changes what its sentences say, without an event: at the end of a mute, and
 * while there is no data.
 */
export function usePassingTime(server: ServerView | undefined, reload: () => void): void {
  useEffect(() => {
    const wait = server === undefined ? undefined : waitFor(server, Date.now());
    if (wait === undefined) return undefined;
    const timer = setTimeout(() => {
      // A page that becomes visible reads again by itself.
      if (document.visibilityState === 'visible') reload();
    }, wait);
    return () => clearTimeout(timer);
  }, [server, reload]);
}

/** Returns the time until a sentence changes, ms; undefined if none does. */
function waitFor({ rules }: ServerView, now: number): number | undefined {
  const waits = rules
    .flatMap(({ subscriptions }) => subscriptions)
    .flatMap(({ state, since, mutedUntil }) => [
      ...(state === 'noData' && since !== null ? [SILENT_MS] : []),
      ...(mutedUntil === undefined ? [] : [waitForEnd(Date.parse(mutedUntil) - now)]),
    ]);
  return waits.length === 0 ? undefined : Math.min(...waits, LONGEST_MS);
}

/** Returns the wait for the end of a mute. `left`: ms until then; below 0 if the browser's clock is ahead of the service's. */
function waitForEnd(left: number): number {
  return left > 0 ? left + AFTER_MS : SILENT_MS;
}
