import type { Measures } from '../rules/metrics.js';

/** What a server remembers of values without a window: no subscription needs their metrics. */
export interface Unkept {
  /** Arrival of the newest value that no window took, or whose window is gone, ms since the epoch; 0: none. */
  readonly at: number;
  /** The times that came with the newest values, µs since the epoch. At most `TOLD_LIMIT`, the newest last. */
  readonly told?: Measures;
}

/** Most metrics whose times are remembered. `METRICS=*` allows any number of them. */
const TOLD_LIMIT = 256;

/** Returns the later of both, with the times of both; those of `newer` count. */
export function mergedUnkept(older: Unkept | undefined, newer: Unkept): Unkept {
  const at = Math.max(older?.at ?? 0, newer.at);
  if (newer.told === undefined) return older?.told === undefined ? { at } : { at, told: older.told };
  const { told } = newer;
  const before = Object.entries(older?.told ?? {}).filter(([metric]) => !Object.hasOwn(told, metric));
  return { at, told: Object.fromEntries([...before, ...Object.entries(told)].slice(-TOLD_LIMIT)) };
}
