import { isOfDocument } from '../rules/metrics.js';
import type { Measures, Metric } from '../rules/metrics.js';
import { mergedUnkept } from './unkept.js';
import type { Measurement, Windows } from './window.js';

/**
 * Remembers when values came of metrics that are neither of the document nor among `extras`, and the times that came with
 * them. Once for all measurements of a request: what is remembered of many metrics is copied. `now`: ms since the epoch;
 * undefined remembers no arrivals.
 */
export function withUnkeptTimes(
  windows: Windows,
  measurements: readonly Measurement[],
  extras: readonly Metric[],
  now: number | undefined,
): Windows {
  let arrived: Record<Metric, number> | undefined;
  let told: Map<Metric, number> | undefined;
  for (const { measures, times } of measurements) {
    if (now !== undefined) {
      for (const metric in measures) {
        if (!isOfDocument(metric) && !extras.includes(metric)) (arrived ??= {})[metric] = now;
      }
    }
    if (times !== undefined) told = toldBy(times, extras, told);
  }
  if (arrived === undefined && told === undefined) return windows;
  const newer = {
    at: 0,
    ...(told === undefined ? {} : { told: Object.fromEntries(told) }),
    ...(arrived === undefined ? {} : { arrived }),
  };
  return { ...windows, unkept: mergedUnkept(windows.unkept, newer) };
}

/** Adds the times of a measurement to `told`, the newest last. */
function toldBy(
  times: Measures,
  extras: readonly Metric[],
  told: Map<Metric, number> | undefined,
): Map<Metric, number> | undefined {
  let all = told;
  for (const [metric, time] of Object.entries(times)) {
    if (time === undefined || isOfDocument(metric) || extras.includes(metric)) continue;
    all ??= new Map();
    all.delete(metric);
    all.set(metric, time);
  }
  return all;
}
