import { isOfDocument, type Metric, ofMetric } from '../rules/metrics.js';
import { type Arrival, mergedArrival } from './arrival.js';
import type { Measurement, Windows } from './window.js';

/** What a server remembers of values without a window: no subscription needs their metrics. */
export interface Unkept {
  /** Arrival of the newest value that no window took, or whose window is gone, ms since the epoch; 0: none. */
  readonly at: number;
  /** By metric; a rule may name the metric later. At most `METRICS_LIMIT`, the newest last. */
  readonly metrics?: Readonly<Record<Metric, Arrival>>;
}

/** Most metrics that are remembered. `METRICS=*` allows any number of them. */
const METRICS_LIMIT = 256;

/** Returns the later of both, with what is remembered of metrics by both. */
export function mergedUnkept(older: Unkept | undefined, newer: Required<Unkept>): Unkept {
  return { at: Math.max(older?.at ?? 0, newer.at), metrics: mergedMetrics(older?.metrics, newer.metrics) };
}

/**
 * Remembers the arrivals of metrics that are neither of the document nor among `extras`. Without `isWatched` no rule needs
 * them, and only those that came with a time are remembered. Once for all measurements of a request: what is remembered
 * of many metrics is copied. `now`: ms since the epoch.
 */
export function withUnkept(
  windows: Windows,
  measurements: readonly Measurement[],
  extras: readonly Metric[],
  { now, isWatched }: { readonly now: number; readonly isWatched: boolean },
): Windows {
  let found: Map<Metric, Arrival> | undefined;
  for (const { measures, times } of measurements) {
    if (!isWatched && times === undefined) continue;
    for (const metric in measures) {
      if (isOfDocument(metric) || extras.includes(metric)) continue;
      const known = times && ofMetric(times, metric);
      if (!isWatched && known === undefined) continue;
      found ??= new Map();
      const before = found.get(metric);
      // The newest last.
      found.delete(metric);
      found.set(metric, mergedArrival(before ?? { at: 0 }, { at: now, ...known }));
    }
  }
  if (found === undefined) return windows;
  const { unkept } = windows;
  return {
    ...windows,
    unkept: { at: unkept?.at ?? 0, metrics: mergedMetrics(unkept?.metrics, Object.fromEntries(found)) },
  };
}

function mergedMetrics(
  older: Readonly<Record<Metric, Arrival>> = {},
  newer: Readonly<Record<Metric, Arrival>>,
): Readonly<Record<Metric, Arrival>> {
  const before = Object.entries(older).filter(([metric]) => !Object.hasOwn(newer, metric));
  const added = Object.entries(newer).map(([metric, arrival]): [Metric, Arrival] => {
    const known = ofMetric(older, metric);
    return [metric, known === undefined ? arrival : mergedArrival(known, arrival)];
  });
  return Object.fromEntries([...before, ...added].slice(-METRICS_LIMIT));
}
