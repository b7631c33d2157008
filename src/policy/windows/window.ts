import {
  type DocumentMetric,
  inMetricOrder,
  type Measures,
  type Metric,
  METRICS,
  ofMetric,
} from '../rules/metrics.js';
import { type Arrival, mergedArrival, type MetricTimes, timesOf } from './arrival.js';
import type { SlidingValues } from './sliding-values.js';
import { mergedUnkept, type Unkept } from './unkept.js';

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

/** The windows of a server. `others`: those of metrics that are not of the document. */
export type Windows<V extends Values = readonly number[]> = Readonly<Record<DocumentMetric, Window<V>>> & {
  readonly others?: Readonly<Record<Metric, Window<V>>>;
  /** Absent if there were no values without a window. */
  readonly unkept?: Unkept;
};

const EMPTY: Window = { values: [], at: 0 };

/** The windows of a server without measurements. */
export const EMPTY_WINDOWS: Windows = { cpu: EMPTY, mem: EMPTY, hdd: EMPTY, net: EMPTY };

/** Returns the window of a metric; an empty one for a metric without a window. */
export function windowOf<V extends Values>(
  windows: Windows<V>,
  metric: Metric,
): Window<V | readonly number[]> {
  switch (metric) {
    case 'cpu':
    case 'mem':
    case 'hdd':
    case 'net':
      return windows[metric];
    default:
      return otherWindow(windows.others, metric);
  }
}

function otherWindow<V extends Values>(
  others: Windows<V>['others'],
  metric: Metric,
): Window<V | readonly number[]> {
  return (others && ofMetric(others, metric)) ?? EMPTY;
}

/** Returns the windows by metric, in the order in which metrics are shown. */
export function windowsByMetric(windows: Windows): readonly (readonly [Metric, Window])[] {
  const four = METRICS.map((metric) => [metric, windows[metric]] as const);
  const others = Object.entries(windows.others ?? {}).toSorted(([a], [b]) => inMetricOrder(a, b));
  return [...four, ...others];
}

/** Returns when the newest value came, with a window or without, ms since the epoch; 0 if none did. */
export function lastArrival(windows: Windows): number {
  return Math.max(windows.unkept?.at ?? 0, ...windowsByMetric(windows).map(([, { at }]) => at));
}

/** Returns what is known of the arrivals of a metric, with a window or without. */
export function arrivalOf(windows: Windows, metric: Metric): Arrival {
  const window = windowOf(windows, metric);
  const unkept = ofMetric(windows.unkept?.metrics ?? {}, metric);
  return unkept === undefined ? window : mergedArrival(unkept, window);
}

/** One measurement as a server takes it. */
export interface Measurement {
  readonly measures: Measures;
  /** What is known of the times of its metrics from then on; absent: as before. */
  readonly times?: MetricTimes | undefined;
}

/** True if the next measurement empties the window. */
export function isOutdated({ values, at }: Window<Values>, now: number, gapMs: number): boolean {
  return gapMs > 0 && values.length > 0 && now - at > gapMs;
}

/** Cuts the windows to their newest `size` values (policy §4, operation 3). */
export function shrink(windows: Windows, size: number): Windows {
  const { others, unkept } = windows;
  const fits = (window: Window): boolean => window.values.length <= size;
  const fit =
    METRICS.every((metric) => fits(windows[metric])) &&
    (others === undefined || Object.values(others).every(fits));
  if (fit) return windows;
  const cut = (window: Window): Window => {
    if (fits(window)) return window;
    const { emptied: _, ...rest } = window;
    return { ...rest, values: window.values.slice(-size) };
  };
  const four = { cpu: cut(windows.cpu), mem: cut(windows.mem), hdd: cut(windows.hdd), net: cut(windows.net) };
  return {
    ...four,
    ...(others === undefined ? {} : { others: mapped(others, cut) }),
    ...(unkept === undefined ? {} : { unkept }),
  };
}

/** Removes the windows of metrics outside the document that are not among `extras`. Their arrivals stay. */
export function withOnly<V extends Values>(windows: Windows<V>, extras: readonly Metric[]): Windows<V> {
  // Every measurement asks, and hardly ever is there one to remove.
  if (windows.others === undefined || Object.keys(windows.others).every((metric) => extras.includes(metric)))
    return windows;
  const { others, unkept, ...four } = windows;
  const all = Object.entries(others);
  const kept = all.filter(([metric]) => extras.includes(metric));
  const gone = all.filter(([metric]) => !extras.includes(metric));
  const at = Math.max(...gone.map(([, window]) => window.at));
  const arrivals = gone.map(([metric, { at: came, told, ahead }]) => [
    metric,
    { at: came, ...timesOf(told, ahead) },
  ]);
  const metrics = Object.fromEntries(arrivals) as Readonly<Record<Metric, Arrival>>;
  const rest = { ...four, unkept: mergedUnkept(unkept, { at, metrics }) };
  return kept.length === 0 ? rest : { ...rest, others: Object.fromEntries(kept) };
}

/** Returns the windows of metrics outside the document, each changed. */
export function mapped<V extends Values, W extends Values>(
  others: Readonly<Record<Metric, Window<V>>>,
  change: (window: Window<V>) => Window<W>,
): Readonly<Record<Metric, Window<W>>> {
  return Object.fromEntries(Object.entries(others).map(([metric, window]) => [metric, change(window)]));
}
