import { isOfDocument } from '../rules/metrics.js';
import type { Metric } from '../rules/metrics.js';
import { mergedUnkept } from './unkept.js';
import type { Measurement, Windows } from './window.js';

/**
 * Keeps the times that came with values of metrics that are neither of the document nor among `extras`. Once for all
 * measurements of a request: the times of many metrics are copied.
 */
export function withUnkeptTimes(
  windows: Windows,
  measurements: readonly Measurement[],
  extras: readonly Metric[],
): Windows {
  const newest = new Map<Metric, number>();
  for (const { times } of measurements) {
    if (times === undefined) continue;
    for (const [metric, time] of Object.entries(times)) {
      if (time === undefined || isOfDocument(metric) || extras.includes(metric)) continue;
      newest.delete(metric);
      newest.set(metric, time);
    }
  }
  if (newest.size === 0) return windows;
  return { ...windows, unkept: mergedUnkept(windows.unkept, { at: 0, told: Object.fromEntries(newest) }) };
}
