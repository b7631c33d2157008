import type { Measures } from '../rules/metrics.js';

/** What a server remembers of values without a window: no subscription needs their metrics. */
export interface Unkept {
  /** Arrival of the newest value that no window took, or whose window is gone, ms since the epoch; 0: none. */
  readonly at: number;
  /** The times that came with the newest values, µs since the epoch. At most `METRICS_LIMIT`, the newest last. */
  readonly told?: Measures;
  /**
   * Arrivals of the newest values, by metric, ms since the epoch: a rule may name the metric later. At most `METRICS_LIMIT`,
   * the newest last.
   */
  readonly arrived?: Measures;
}

/** Most metrics that are remembered. `METRICS=*` allows any number of them. */
const METRICS_LIMIT = 256;

/** Returns the later of both, with what is remembered of metrics by both; that of `newer` counts. */
export function mergedUnkept(older: Unkept | undefined, newer: Unkept): Unkept {
  const told = merged(older?.told, newer.told);
  const arrived = merged(older?.arrived, newer.arrived);
  return {
    at: Math.max(older?.at ?? 0, newer.at),
    ...(told === undefined ? {} : { told }),
    ...(arrived === undefined ? {} : { arrived }),
  };
}

function merged(older: Measures | undefined, newer: Measures | undefined): Measures | undefined {
  if (newer === undefined) return older;
  const before = Object.entries(older ?? {}).filter(([metric]) => !Object.hasOwn(newer, metric));
  return Object.fromEntries([...before, ...Object.entries(newer)].slice(-METRICS_LIMIT));
}
