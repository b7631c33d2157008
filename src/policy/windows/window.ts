import { isAhead } from '../../actors/clock-set-back.js';
import { inMetricOrder, type Measures, type Metric, METRICS, ofMetric } from '../rules/metrics.js';
import { type CountedTimes, countedTimesText, type StaleTime } from './counted-times.js';
import type { SlidingValues } from './sliding-values.js';

/** The values of a window: those that are stored, or those of a request of several measurements. */
export type Values = readonly number[] | SlidingValues;

/** The newest values of one metric of one server. Its arrivals include those of values that a pause removed. */
export interface Window<V extends Values = readonly number[]> extends Arrival {
  /** Oldest first. Of a metric of the document: percent of utilization. */
  readonly values: V;
  /** The pause that emptied the window; absent once the window is full again. */
  readonly emptied?: EmptyingPause;
}

/** A pause longer than the gap. */
export interface EmptyingPause {
  /** When the pause was noticed, ms since the epoch. */
  readonly at: number;
  /** Length, ms. */
  readonly pause: number;
}

/** The windows of a server. */
export interface Windows<V extends Values = readonly number[]> {
  /** By metric: one for each metric that was tracked by the last measurement. */
  readonly tracked: Readonly<Record<Metric, Window<V>>>;
  /** Absent if there were no values without a window. */
  readonly untracked?: Untracked;
  /** Absent before the first value of a source. */
  readonly counted?: CountedTimes;
}

const EMPTY: Window = { values: [], at: 0 };

/** The windows of a server without measurements. */
export const EMPTY_WINDOWS: Windows = { tracked: {} };

/** Returns the window of a metric; an empty one for a metric without a window. */
export function windowOf<V extends Values>(
  { tracked }: Windows<V>,
  metric: Metric,
): Window<V | readonly number[]> {
  return ofMetric(tracked, metric) ?? EMPTY;
}

/** Returns the windows by metric, in the order in which metrics are shown. All metrics of the document are among them. */
export function windowsByMetric(windows: Windows): readonly (readonly [Metric, Window])[] {
  const metrics = new Set<Metric>([...METRICS, ...Object.keys(windows.tracked)]);
  return [...metrics].toSorted(inMetricOrder).map((metric) => [metric, windowOf(windows, metric)]);
}

/** Returns when the newest value came, with a window or without, ms since the epoch; 0 if none did. */
export function lastArrival({ tracked, untracked }: Windows): number {
  return Math.max(untracked?.at ?? 0, ...Object.values(tracked).map(({ at }) => at));
}

/** Returns what is known of the arrivals of a metric, with a window or without. */
export function arrivalOf(windows: Windows, metric: Metric): Arrival {
  const window = windowOf(windows, metric);
  const untracked = ofMetric(windows.untracked?.metrics ?? {}, metric);
  return untracked === undefined ? window : mergedArrival(untracked, window);
}

/** True if the next measurement empties the window. */
export function isOutdated({ values, at }: Window<Values>, now: number, gapMs: number): boolean {
  return gapMs > 0 && values.length > 0 && now - at > gapMs;
}

/** Cuts the windows to their newest `size` values (policy §4, operation 3). */
export function shrink(windows: Windows, size: number): Windows {
  let fit = true;
  for (const metric in windows.tracked) fit &&= windows.tracked[metric]!.values.length <= size;
  if (fit) return windows;
  return mapped(windows, (window) => {
    if (window.values.length <= size) return window;
    const { emptied: _, ...rest } = window;
    return { ...rest, values: window.values.slice(-size) };
  });
}

/** Removes the windows of metrics that are not among `tracked`. Their arrivals stay. */
export function withOnly<V extends Values>(windows: Windows<V>, tracked: readonly Metric[]): Windows<V> {
  // Every measurement asks, and hardly ever is there one to remove.
  let isSame = true;
  for (const metric in windows.tracked) isSame &&= tracked.includes(metric);
  if (isSame) return windows;
  const kept: [Metric, Window<V>][] = [];
  const gone = new Map<Metric, Arrival>();
  for (const [metric, window] of Object.entries(windows.tracked)) {
    const { values: _, emptied: __, ...arrival } = window;
    if (tracked.includes(metric)) kept.push([metric, window]);
    else gone.set(metric, arrival);
  }
  const at = Math.max(...[...gone.values()].map((arrival) => arrival.at));
  const untracked = withArrivals(windows.untracked, at, gone);
  return { ...windows, tracked: Object.fromEntries(kept), untracked };
}

/** Returns the windows with arrivals in the future of `now` as arrivals at `now`; the same windows if there are none. */
export function windowsAfterSetBack(windows: Windows, now: number): Windows {
  const { tracked, untracked } = windows;
  const all: readonly Arrival[] = [
    ...Object.values(tracked),
    ...(untracked === undefined ? [] : [untracked, ...Object.values(untracked.metrics)]),
  ];
  if (!all.some(({ at }) => isAhead(at, now))) return windows;
  const set = <A extends Arrival>(arrival: A): A =>
    isAhead(arrival.at, now) ? { ...arrival, at: now } : arrival;
  const changed = mapped(windows, set);
  if (untracked === undefined) return changed;
  return { ...changed, untracked: { ...set(untracked), metrics: mapValues(untracked.metrics, set) } };
}

/** Returns the windows, each of those by metric changed. */
export function mapped<V extends Values, W extends Values>(
  windows: Windows<V>,
  change: (window: Window<V>) => Window<W>,
): Windows<W> {
  return { ...windows, tracked: mapValues(windows.tracked, change) };
}

function mapValues<A, B>(
  byMetric: Readonly<Record<Metric, A>>,
  change: (one: A) => B,
): Readonly<Record<Metric, B>> {
  return Object.fromEntries(Object.entries(byMetric).map(([metric, one]) => [metric, change(one)]));
}

/** Returns the text of `JSON.stringify(windows)` in a quarter of the time. Every fact writes it. */
export function windowsText({ tracked, untracked, counted }: Windows): string {
  let text = '';
  for (const metric in tracked) {
    text += `${text === '' ? '{"tracked":{"' : ',"'}${metric}":${windowText(tracked[metric]!)}`;
  }
  if (text === '') text = '{"tracked":{';
  text += '}';
  if (untracked !== undefined) text += `,"untracked":${JSON.stringify(untracked)}`;
  return counted === undefined ? `${text}}` : `${text},"counted":${countedTimesText(counted)}}`;
}

function windowText({ values, at, emptied, sourceTime, futureTime }: Window): string {
  // In this order: a text that begins short is copied less often.
  let text = '{"values":[';
  for (let i = 0; i < values.length; i += 1) {
    text += i === 0 ? numberText(values[i]!) : `,${numberText(values[i]!)}`;
  }
  text += `],"at":${at}`;
  if (emptied !== undefined) text += `,"emptied":{"at":${emptied.at},"pause":${emptied.pause}}`;
  if (sourceTime !== undefined) text += `,"sourceTime":${sourceTime}`;
  return futureTime === undefined ? `${text}}` : `${text},"futureTime":${futureTime}}`;
}

/** Texts of whole hundredths from 0 to 100, each made on its first use. Most measurements have two decimals at most. */
const HUNDREDTHS: string[] = [];

function numberText(value: number): string {
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 !== value || hundredths < 0 || hundredths > 10_000) return String(value);
  return (HUNDREDTHS[hundredths] ??= String(value));
}

/**
 * The window size of a tenant, with the past changes that its servers need. A server that missed several changes ends
 * with as few values as if it had seen each change.
 */
export interface WindowSize {
  /** Number of values in a window (policy §4, operation 3). */
  readonly size: number;
  /** Number of changes so far. */
  readonly version: number;
  /** `[version, size]` of each change that no later change undercuts, sizes ascending, at most one entry per size. */
  readonly lows: readonly (readonly [version: number, size: number])[];
}

/** Changes the size to `size`. */
export function resized(from: WindowSize, size: number): WindowSize {
  const version = from.version + 1;
  return { size, version, lows: [...from.lows.filter((low) => low[1] < size), [version, size]] };
}

/** Returns the smallest size in force since `version`, including the current size. */
export function smallestSince(current: WindowSize, version: number): number {
  if (version >= current.version) return current.size;
  return current.lows.find((low) => low[0] > version)?.[1] ?? current.size;
}

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
  /** By metric: the number of values that counted before, and whose times are later; absent: there are none. */
  readonly later?: Measures | undefined;
  /** As `Facts.groups`. */
  readonly group?: number;
}

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
function mergedArrival(older: Arrival, { at, sourceTime, futureTime }: Arrival): Arrival {
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

/** True if there may have been values without a window whose arrivals are not stored any more. */
export function mayLackArrivals({ untracked }: Windows): boolean {
  return untracked !== undefined && Object.keys(untracked.metrics).length >= METRICS_LIMIT;
}

/** Adds arrivals: the later time, and the metrics of both, the added ones last. */
function withArrivals(
  older: Untracked | undefined,
  at: number,
  added: ReadonlyMap<Metric, Arrival>,
): Untracked {
  const before = older?.metrics ?? {};
  const others = Object.keys(before).filter((metric) => !added.has(metric));
  let surplus = others.length + added.size - METRICS_LIMIT;
  // Members are set one after the other: V8 takes ten times as long to make an object of 256 new names from entries.
  const metrics: Record<Metric, Arrival> = {};
  for (const metric of others) {
    surplus -= 1;
    if (surplus < 0) metrics[metric] = before[metric]!;
  }
  for (const [metric, arrival] of added) {
    surplus -= 1;
    if (surplus >= 0) continue;
    const known = ofMetric(before, metric);
    metrics[metric] = known === undefined ? arrival : mergedArrival(known, arrival);
  }
  return { at: Math.max(older?.at ?? 0, at), metrics };
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
  return { ...windows, untracked: withArrivals(windows.untracked, 0, found) };
}
