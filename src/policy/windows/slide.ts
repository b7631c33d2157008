import { type Measures, type Metric, ofMetric } from '../rules/metrics.js';
import type { MetricTimes } from './arrival.js';
import { SlidingValues } from './sliding-values.js';
import {
  type EmptyingPause,
  isOutdated,
  mapped,
  type Measurement,
  type Values,
  type Window,
  windowOf,
  type Windows,
  withOnly,
} from './window.js';

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
 * Returns the windows for several measurements of one request: `slide` costs about the same then, however many values they
 * have. `extras` as in `WindowSettings`.
 */
export function sliding(windows: Windows, extras: readonly Metric[]): Windows<Values> {
  const slid = (window: Window): Window<Values> => ({ ...window, values: SlidingValues.of(window.values) });
  const known = withOnly(windows, extras);
  const { cpu, mem, hdd, net, unkept } = known;
  const others = Object.fromEntries(extras.map((metric) => [metric, windowOf(known, metric)]));
  return {
    cpu: slid(cpu),
    mem: slid(mem),
    hdd: slid(hdd),
    net: slid(net),
    ...(extras.length === 0 ? {} : { others: mapped(others, slid) }),
    ...(unkept === undefined ? {} : { unkept }),
  };
}

/** Returns the windows as they are stored, whether `sliding` made them or not. */
export function settled(windows: Windows<Values>): Windows {
  const { cpu, mem, hdd, net, others, unkept } = windows;
  if (!(cpu.values instanceof SlidingValues)) return windows as Windows;
  return {
    cpu: stored(cpu),
    mem: stored(mem),
    hdd: stored(hdd),
    net: stored(net),
    ...(others === undefined ? {} : { others: mapped(others, stored) }),
    ...(unkept === undefined ? {} : { unkept }),
  };
}

function stored(window: Window<Values>): Window {
  return { ...window, values: arrayOf(window.values) };
}

/** Returns the values of a window as an array. */
export function arrayOf(values: Values): readonly number[] {
  return values instanceof SlidingValues ? values.toArray() : values;
}

/**
 * Adds each value to the window of its metric and keeps the newest values. First empties each window, measured or not,
 * whose newest value is older than the gap.
 */
export function slide(
  windows: Windows<Values>,
  { measures, times }: Measurement,
  now: number,
  settings: WindowSettings,
): Windows<Values> {
  const { size, gapMs, extras } = settings;
  const known = withOnly(windows, extras);
  const { cpu, mem, hdd, net, unkept } = known;
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
  windows: Windows<Values>,
  measures: Measures,
  now: number,
  { size, gapMs, extras }: WindowSettings,
): Readonly<Record<Metric, Window<Values>>> {
  return Object.fromEntries(
    extras.map((metric) => {
      const window = windowOf(windows, metric);
      return [metric, slideOne(window, ofMetric(measures, metric), now, size, gapMs)];
    }),
  );
}

/** True if a window has a value that came at `now`. */
function hasArrival({ cpu, mem, hdd, net, others }: Windows<Values>, now: number): boolean {
  if (cpu.at === now || mem.at === now || hdd.at === now || net.at === now) return true;
  return others !== undefined && Object.values(others).some(({ at }) => at === now);
}

/** Keeps the times that came with the newest values. */
function withTimes(windows: Windows<Values>, times: MetricTimes): Windows<Values> {
  const timed = (metric: Metric): Window<Values> => {
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

function slideOne(
  window: Window<Values>,
  value: number | undefined,
  now: number,
  size: number,
  gapMs: number,
): Window<Values> {
  if (isOutdated(window, now, gapMs)) return emptied(window, value, now, size);
  if (value === undefined) return withoutPause(window, size);
  const values = withValue(window.values, value, size);
  if (window.emptied === undefined && window.told === undefined && window.ahead === undefined)
    return { values, at: now };
  return withoutPause({ ...window, values, at: now }, size);
}

/** Returns the newest `size` values with one more. */
function withValue(values: Values, value: number, size: number): Values {
  if (values instanceof SlidingValues) return values.with(value, size);
  const newest = values.slice(-size);
  // Removes a value before it adds one: an array that grows reserves room for many more.
  if (newest.length === size) newest.shift();
  newest.push(value);
  return newest;
}

/** Returns the window after a pause, with the value that ends the pause, if any. */
function emptied(
  window: Window<Values>,
  value: number | undefined,
  now: number,
  size: number,
): Window<Values> {
  const pause: EmptyingPause = { at: now, pause: now - window.at };
  const none = window.values instanceof SlidingValues ? SlidingValues.of([]) : [];
  if (value === undefined) return { ...window, values: none, emptied: pause };
  const values = withValue(none, value, size);
  return withoutPause({ ...window, values, at: now, emptied: pause }, size);
}

/** Forgets the pause that emptied a window if the window is full again. */
function withoutPause(window: Window<Values>, size: number): Window<Values> {
  if (window.emptied === undefined || window.values.length < size) return window;
  const { emptied: _, ...rest } = window;
  return rest;
}
