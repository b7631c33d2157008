import { isAhead } from '../../actors/clock-set-back.js';
import { inMetricOrder, type Metric, METRICS, ofMetric } from '../rules/metrics.js';
import { type Arrival, mergedArrival, mergedUntracked, type Untracked } from './arrival.js';
import type { CountedTimes } from './counted-times.js';
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
  /** Absent if no source of the server sends values in another order than that of their times. */
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
  const gone: [Metric, Arrival][] = [];
  for (const [metric, window] of Object.entries(windows.tracked)) {
    const { values: _, emptied: __, ...arrival } = window;
    if (tracked.includes(metric)) kept.push([metric, window]);
    else gone.push([metric, arrival]);
  }
  const at = Math.max(...gone.map(([, arrival]) => arrival.at));
  const untracked = mergedUntracked(windows.untracked, { at, metrics: Object.fromEntries(gone) });
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
  return counted === undefined ? `${text}}` : `${text},"counted":${JSON.stringify(counted)}}`;
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
