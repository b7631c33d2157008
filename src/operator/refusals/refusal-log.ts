import type { Logger } from 'pino';
import { lruCache } from '../../system/lru-cache.js';
import type { RefusedMeasurements } from './refusals.js';

/** Minimum time between two lines of one tenant, ms. */
const PAUSE_MS = 60_000;
/** Maximum number of tenants that are remembered. */
const TENANTS_LIMIT = 10_000;

/** The last line of a tenant. */
interface Line {
  /** ms since the epoch. */
  readonly at: number;
  /** Refusals since then. */
  more: number;
}

/** The key of all tenants that are not known. No tenant has it as its id. */
const UNKNOWN = '';

/**
 * Makes the function that logs refused measurements: at most one line a minute for each tenant, with the newest refusal and
 * the number of those since the line before. All unknown tenants share one line: anybody can make up any number of them.
 * `now` returns ms since the epoch.
 */
export function refusalLog(
  log: Pick<Logger, 'warn'>,
  now: () => number,
): (refused: RefusedMeasurements) => void {
  const lines = lruCache<Line>(TENANTS_LIMIT);
  return ({ tenant, isKnown, path, status, message }) => {
    const key = isKnown ? tenant : UNKNOWN;
    const line = lines.get(key);
    const at = now();
    if (line !== undefined && Math.abs(at - line.at) < PAUSE_MS) {
      line.more += 1;
      return;
    }
    lines.set(key, { at, more: 0 });
    const times = 1 + (line?.more ?? 0);
    const fields = { path, status, times, reason: message };
    if (isKnown) log.warn({ tenant, ...fields }, 'measurements refused');
    else log.warn(fields, 'measurements of unknown tenants refused');
  };
}
