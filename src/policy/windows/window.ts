import { inMetricOrder, METRICS, ofMetric } from '../rules/metrics.js';
import type { DocumentMetric, Measures, Metric } from '../rules/metrics.js';
import { mergedArrival, timesOf } from './arrival.js';
import type { Arrival, MetricTimes } from './arrival.js';
import { mergedUnkept } from './unkept.js';
import type { Unkept } from './unkept.js';

/** The newest values of one metric of one server. Its arrivals include those of values that a pause removed. */
export interface Window extends Arrival {
  /** Oldest first. Of a metric of the document: percent of utilization. */
  readonly values: readonly number[];
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
export type Windows = Readonly<Record<DocumentMetric, Window>> & {
  readonly others?: Readonly<Record<Metric, Window>>;
  /** Absent if there were no values without a window. */
  readonly unkept?: Unkept;
};

const EMPTY: Window = { values: [], at: 0 };

/** The windows of a server without measurements. */
export const EMPTY_WINDOWS: Windows = { cpu: EMPTY, mem: EMPTY, hdd: EMPTY, net: EMPTY };

/** Returns the window of a metric; an empty one for a metric without a window. */
export function windowOf(windows: Windows, metric: Metric): Window {
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

function otherWindow(others: Windows['others'], metric: Metric): Window {
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

/** What the windows of a server depend on beside the measurements. */
export interface WindowSettings {
  /** Number of values of a full window. */
  readonly size: number;
  /** Pause that empties a window, ms; 0: never. */
  readonly gapMs: number;
  /** The metrics outside the document that have windows. */
  readonly extras: readonly Metric[];
}

/**
 * Adds each value to the window of its metric and keeps the newest values. First empties each window, measured or not,
 * whose newest value is older than the gap.
 */
export function slide(
  windows: Windows,
  { measures, times }: Measurement,
  now: number,
  settings: WindowSettings,
): Windows {
  const { size, gapMs, extras } = settings;
  const { cpu, mem, hdd, net, others: known, unkept } = withOnly(windows, extras);
  const four = {
    cpu: slideOne(cpu, measures['cpu'], now, size, gapMs),
    mem: slideOne(mem, measures['mem'], now, size, gapMs),
    hdd: slideOne(hdd, measures['hdd'], now, size, gapMs),
    net: slideOne(net, measures['net'], now, size, gapMs),
  };
  const slid = extras.length === 0 ? four : { ...four, others: slideOthers(known, measures, now, settings) };
  const timed = times === undefined ? slid : withTimes(slid, times);
  if (!hasArrival(slid, now)) return { ...timed, unkept: { ...unkept, at: now } };
  return unkept === undefined ? timed : { ...timed, unkept };
}

function slideOthers(
  known: Windows['others'],
  measures: Measures,
  now: number,
  { size, gapMs, extras }: WindowSettings,
): Readonly<Record<Metric, Window>> {
  return Object.fromEntries(
    extras.map((metric) => {
      const window = otherWindow(known, metric);
      return [metric, slideOne(window, ofMetric(measures, metric), now, size, gapMs)];
    }),
  );
}

/** True if a window has a value that came at `now`. */
function hasArrival({ cpu, mem, hdd, net, others }: Windows, now: number): boolean {
  if (cpu.at === now || mem.at === now || hdd.at === now || net.at === now) return true;
  return others !== undefined && Object.values(others).some(({ at }) => at === now);
}

/** Keeps the times that came with the newest values. */
function withTimes(windows: Windows, times: MetricTimes): Windows {
  const timed = (metric: Metric): Window => {
    const window = windowOf(windows, metric);
    const known = ofMetric(times, metric);
    return known === undefined ? window : { ...window, ...known };
  };
  const { others } = windows;
  const four = { cpu: timed('cpu'), mem: timed('mem'), hdd: timed('hdd'), net: timed('net') };
  if (others === undefined) return four;
  return {
    ...four,
    others: Object.fromEntries(Object.keys(others).map((metric) => [metric, timed(metric)])),
  };
}

/** True if the next measurement empties the window. */
export function isOutdated({ values, at }: Window, now: number, gapMs: number): boolean {
  return gapMs > 0 && values.length > 0 && now - at > gapMs;
}

function slideOne(
  window: Window,
  value: number | undefined,
  now: number,
  size: number,
  gapMs: number,
): Window {
  if (isOutdated(window, now, gapMs)) return emptied(window, value, now, size);
  if (value === undefined) return withoutPause(window, size);
  const values = window.values.slice(-size);
  // Removes a value before it adds one: an array that grows reserves room for many more.
  if (values.length === size) values.shift();
  values.push(value);
  if (window.emptied === undefined && window.told === undefined && window.ahead === undefined)
    return { values, at: now };
  return withoutPause({ ...window, values, at: now }, size);
}

/** Returns the window after a pause, with the value that ends the pause, if any. */
function emptied(window: Window, value: number | undefined, now: number, size: number): Window {
  const pause: EmptyingPause = { at: now, pause: now - window.at };
  if (value === undefined) return { ...window, values: [], emptied: pause };
  return withoutPause({ ...window, values: [value], at: now, emptied: pause }, size);
}

/** Forgets the pause that emptied a window if the window is full again. */
function withoutPause(window: Window, size: number): Window {
  if (window.emptied === undefined || window.values.length < size) return window;
  const { emptied: _, ...rest } = window;
  return rest;
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
export function withOnly(windows: Windows, extras: readonly Metric[]): Windows {
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

function mapped(
  others: Readonly<Record<Metric, Window>>,
  change: (window: Window) => Window,
): Readonly<Record<Metric, Window>> {
  return Object.fromEntries(Object.entries(others).map(([metric, window]) => [metric, change(window)]));
}
