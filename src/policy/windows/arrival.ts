import { type Measures, type Metric, ofMetric } from '../rules/metrics.js';

/** The source timestamps of one metric, µs since the epoch: the times that came with its values. */
export interface SourceTimes {
  /** The time of the last value that counted with a trusted time; absent if there was none. */
  readonly sourceTime?: number;
  /**
   * The time of the last value that counted although its time was too far in the future to be trusted; absent if
   * there was none.
   */
  readonly futureTime?: number;
}

/** When values of one metric of one server came. */
export interface Arrival extends SourceTimes {
  /** Arrival of the newest value, ms since the epoch; 0 if there never was one. */
  readonly at: number;
}

/** One measurement, as a server accepts it. */
export interface Measurement {
  readonly measures: Measures;
  /** The source timestamps of its metrics after this measurement; absent: unchanged. */
  readonly times?: Readonly<Record<Metric, SourceTimes>> | undefined;
  /** The number of values of a metric that came before, and whose times are later; absent: none of any metric. */
  readonly later?: Measures | undefined;
}

/** Why a value does not count because of its source timestamp. */
export type StaleTime = 'repeated' | 'older';

/**
 * Returns the source timestamps of a metric once a value with the time `time` counts, or why the value does not
 * count. A time is trusted if it is not after `latest`. A value with a later time counts once, and does not make
 * other values `older`. The same holds for a stored time after `latest`: the clock was set back, or the setting was
 * changed. Times are µs since the epoch. `latest` may be infinite.
 */
export function judgedTime(
  time: number,
  { sourceTime, futureTime }: SourceTimes,
  latest: number,
): SourceTimes | StaleTime {
  if (time === sourceTime || time === futureTime) return 'repeated';
  if (time > latest) return timesOf(sourceTime, time);
  if (sourceTime === undefined || time > sourceTime) return timesOf(time, futureTime);
  return sourceTime > latest ? timesOf(time, futureTime ?? sourceTime) : 'older';
}

/** Merges two records of one metric. Members of the newer record take precedence. */
export function mergedArrival(older: Arrival, { at, sourceTime, futureTime }: Arrival): Arrival {
  return {
    at: at === 0 ? older.at : at,
    ...timesOf(sourceTime ?? older.sourceTime, futureTime ?? older.futureTime),
  };
}

/** Returns the source timestamps without the rest of an arrival. */
export function sourceTimesOf({ sourceTime, futureTime }: SourceTimes): SourceTimes {
  return timesOf(sourceTime, futureTime);
}

/** Returns the times without members that are undefined. */
function timesOf(sourceTime: number | undefined, futureTime: number | undefined): SourceTimes {
  return {
    ...(sourceTime === undefined ? {} : { sourceTime }),
    ...(futureTime === undefined ? {} : { futureTime }),
  };
}

/** What a server stores of values without a window, because no subscription needs their metrics. */
export interface Untracked {
  /** Arrival of the newest value that had no window, or whose window was removed, ms since the epoch; 0: none. */
  readonly at: number;
  /** By metric. A rule may need the metric later. At most `METRICS_LIMIT`, the newest last. */
  readonly metrics: Readonly<Record<Metric, Arrival>>;
}

/** Maximum number of metrics that are stored. `METRICS=*` allows any number of them. */
const METRICS_LIMIT = 256;

/** Merges two records: the later arrival, and the metrics of both. */
export function mergedUntracked(older: Untracked | undefined, newer: Untracked): Untracked {
  const { at, metrics } = older ?? { at: 0, metrics: {} };
  const before = Object.entries(metrics).filter(([metric]) => !Object.hasOwn(newer.metrics, metric));
  const added = Object.entries(newer.metrics).map(([metric, arrival]): [Metric, Arrival] => {
    const known = ofMetric(metrics, metric);
    return [metric, known === undefined ? arrival : mergedArrival(known, arrival)];
  });
  return {
    at: Math.max(at, newer.at),
    metrics: Object.fromEntries([...before, ...added].slice(-METRICS_LIMIT)),
  };
}

/**
 * Stores the arrivals of metrics that are not among `tracked`. Without `isSubscribed` no rule needs them, and only
 * arrivals with a source timestamp are stored. Call it once for all measurements of a request, because it copies the
 * stored arrivals. `now`: ms since the epoch.
 */
export function withUntracked<W extends { readonly untracked?: Untracked }>(
  windows: W,
  measurements: readonly Measurement[],
  tracked: readonly Metric[],
  { now, isSubscribed }: { readonly now: number; readonly isSubscribed: boolean },
): W {
  let found: Map<Metric, Arrival> | undefined;
  for (const { measures, times } of measurements) {
    if (!isSubscribed && times === undefined) continue;
    for (const metric in measures) {
      if (tracked.includes(metric)) continue;
      const known = times && ofMetric(times, metric);
      if (!isSubscribed && known === undefined) continue;
      found ??= new Map();
      const before = found.get(metric);
      // The newest last.
      found.delete(metric);
      found.set(metric, mergedArrival(before ?? { at: 0 }, { at: now, ...known }));
    }
  }
  if (found === undefined) return windows;
  const newer = { at: 0, metrics: Object.fromEntries(found) };
  return { ...windows, untracked: mergedUntracked(windows.untracked, newer) };
}
