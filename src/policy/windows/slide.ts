import { type Metric, ofMetric } from '../rules/metrics.js';
import {
  type Measurement,
  type EmptyingPause,
  isOutdated,
  mapped,
  type Values,
  type Window,
  windowOf,
  type Windows,
  withOnly,
} from './window.js';
import { SlidingValues } from './sliding-values.js';

/** What the windows of a server depend on beside the measurements. */
export interface WindowSettings {
  /** Number of values of a full window. */
  readonly size: number;
  /** Pause that empties a window, ms; 0: never. */
  readonly gapMs: number;
  /** The metrics that have windows. */
  readonly tracked: readonly Metric[];
}

/**
 * Returns the windows for several measurements of one request: `slide` costs about the same then, however many values they
 * have. `tracked` as in `WindowSettings`.
 */
export function sliding(windows: Windows, tracked: readonly Metric[]): Windows<Values> {
  const known = withOnly(windows, tracked);
  const all = Object.fromEntries(tracked.map((metric) => [metric, windowOf(known, metric)]));
  return mapped({ ...known, tracked: all }, (window) => ({
    ...window,
    values: SlidingValues.of(window.values),
  }));
}

/** Returns the windows as they are stored, whether `sliding` made them or not. */
export function settled(windows: Windows<Values>): Windows {
  if (!(windowOf(windows, 'cpu').values instanceof SlidingValues)) return windows as Windows;
  return mapped(windows, (window) => ({ ...window, values: arrayOf(window.values) }));
}

/** Returns the values of a window as an array. */
export function arrayOf(values: Values): readonly number[] {
  return values instanceof SlidingValues ? values.toArray() : values;
}

/**
 * Adds each value to the window of its metric, in the order of the times, and keeps the newest values. First empties each
 * window, measured or not, whose newest value is older than the gap. The result has no counted times: `evaluate` adds those of
 * the request.
 */
export function slide(
  windows: Windows<Values>,
  { measures, times, later }: Measurement,
  now: number,
  { size, gapMs, tracked }: WindowSettings,
): Windows<Values> {
  const known = withOnly(windows, tracked);
  const slid: Record<Metric, Window<Values>> = {};
  let hasArrived = false;
  for (const metric of tracked) {
    const behind = later === undefined ? 0 : (ofMetric(later, metric) ?? 0);
    const window = slideOne(windowOf(known, metric), ofMetric(measures, metric), behind, now, size, gapMs);
    const timed = times && ofMetric(times, metric);
    slid[metric] = timed === undefined ? window : { ...window, ...timed };
    hasArrived ||= window.at === now;
  }
  const { untracked } = known;
  if (!hasArrived) return { tracked: slid, untracked: { metrics: {}, ...untracked, at: now } };
  return untracked === undefined ? { tracked: slid } : { tracked: slid, untracked };
}

/**
 * Adds measurements between which no rule is evaluated, as `slide` does with each. Of many without times, those are left out
 * whose values would leave the windows again: 60,000 of them would hold the event loop.
 */
export function slideAll(
  windows: Windows<Values>,
  measurements: readonly Measurement[],
  now: number,
  settings: WindowSettings,
): Windows<Values> {
  let slid = windows;
  for (const measurement of lasting(measurements, settings)) slid = slide(slid, measurement, now, settings);
  return slid;
}

/** Returns the first measurement, which ends a pause, and those with a value that stays, or without one of a tracked metric. */
function lasting(
  measurements: readonly Measurement[],
  { size, tracked }: WindowSettings,
): readonly Measurement[] {
  if (measurements.length <= size || measurements.some(({ times }) => times !== undefined))
    return measurements;
  const room = new Map(tracked.map((metric) => [metric, size]));
  const kept: Measurement[] = [];
  for (let i = measurements.length - 1; i > 0; i -= 1) {
    let isTracked = false;
    let stays = false;
    for (const metric in measurements[i]!.measures) {
      const left = room.get(metric);
      if (left === undefined) continue;
      isTracked = true;
      stays ||= left > 0;
      if (left > 0) room.set(metric, left - 1);
    }
    if (stays || !isTracked) kept.push(measurements[i]!);
  }
  kept.push(measurements[0]!);
  return kept.toReversed();
}

function slideOne(
  window: Window<Values>,
  value: number | undefined,
  behind: number,
  now: number,
  size: number,
  gapMs: number,
): Window<Values> {
  if (isOutdated(window, now, gapMs)) return emptied(window, value, behind, now, size);
  if (value === undefined) return withoutPause(window, size);
  const values = withOneMore(window.values, value, behind, size);
  if (window.emptied === undefined && window.sourceTime === undefined && window.futureTime === undefined)
    return { values, at: now };
  return withoutPause({ ...window, values, at: now }, size);
}

/** Returns the newest `size` values with one that has its place before `behind` others. */
function withOneMore(values: Values, value: number, behind: number, size: number): Values {
  return behind === 0 ? withValue(values, value, size) : withLate(values, value, behind, size);
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

/**
 * Returns the newest `size` values with one before the last `behind` of them. If fewer than `behind` are here, the others have
 * left the window, and so has this one.
 */
function withLate(values: Values, value: number, behind: number, size: number): Values {
  const place = values.length - behind;
  if (place < 0) return values;
  const all = arrayOf(values).toSpliced(place, 0, value).slice(-size);
  return values instanceof SlidingValues ? SlidingValues.of(all) : all;
}

/** Returns the window after a pause, with the value that ends the pause, if any. */
function emptied(
  window: Window<Values>,
  value: number | undefined,
  behind: number,
  now: number,
  size: number,
): Window<Values> {
  const pause: EmptyingPause = { at: now, pause: now - window.at };
  const none = window.values instanceof SlidingValues ? SlidingValues.of([]) : [];
  if (value === undefined) return { ...window, values: none, emptied: pause };
  const values = withOneMore(none, value, behind, size);
  return withoutPause({ ...window, values, at: now, emptied: pause }, size);
}

/** Forgets the pause that emptied a window if the window is full again. */
function withoutPause(window: Window<Values>, size: number): Window<Values> {
  if (window.emptied === undefined || window.values.length < size) return window;
  const { emptied: _, ...rest } = window;
  return rest;
}
