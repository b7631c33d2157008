import { METRICS } from '../rules/rule.js';
import type { Metric } from '../rules/rule.js';

/** The newest values of one metric of one server. */
export interface Window {
  /** Percent of utilization, oldest first. */
  readonly values: readonly number[];
  /** When the newest came, ms since the epoch; 0 where there is none. */
  readonly at: number;
}

export type Windows = Readonly<Record<Metric, Window>>;

/** Measurements that arrived together: percent of utilization, any non-empty subset of the metrics. */
export type Measures = Readonly<Partial<Record<Metric, number>>>;

const EMPTY: Window = { values: [], at: 0 };

/** The windows of a server that was never measured. */
export const EMPTY_WINDOWS: Windows = { cpu: EMPTY, mem: EMPTY, hdd: EMPTY, net: EMPTY };

/**
 * The windows after a measurement: each value joins the window of its metric, of which the newest `size` stay. A
 * window whose newest value is older than `gapMs` (0: never) is emptied first, measured now or not.
 */
export function slide(
  windows: Windows,
  measures: Measures,
  now: number,
  size: number,
  gapMs: number,
): Windows {
  return {
    cpu: slideOne(windows.cpu, measures.cpu, now, size, gapMs),
    mem: slideOne(windows.mem, measures.mem, now, size, gapMs),
    hdd: slideOne(windows.hdd, measures.hdd, now, size, gapMs),
    net: slideOne(windows.net, measures.net, now, size, gapMs),
  };
}

function slideOne(
  window: Window,
  value: number | undefined,
  now: number,
  size: number,
  gapMs: number,
): Window {
  const torn = gapMs > 0 && window.values.length > 0 && now - window.at > gapMs;
  if (value === undefined) return torn ? EMPTY : window;
  if (torn) return { values: [value], at: now };
  const values = window.values.slice(-size);
  // In place of a value that goes, where there is one: a list that grows makes room for many more.
  if (values.length === size) values.shift();
  values.push(value);
  return { values, at: now };
}

/** The windows cut to their newest `size` values, as a smaller window size has them (policy §4, operation 3). */
export function shrink(windows: Windows, size: number): Windows {
  if (METRICS.every((metric) => windows[metric].values.length <= size)) return windows;
  const cut = (window: Window): Window => ({ values: window.values.slice(-size), at: window.at });
  return { cpu: cut(windows.cpu), mem: cut(windows.mem), hdd: cut(windows.hdd), net: cut(windows.net) };
}

/**
 * The mean of a window, not rounded. Summed with compensation (Neumaier) and kept between the smallest and the
 * largest value, so that a series of equal values has that value as its mean and `greater 85.1` does not hold for it.
 */
export function mean(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  let least = Infinity;
  let most = -Infinity;
  // By index: an iterator would make an object for every value.
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return Math.min(most, Math.max(least, (sum + lost) / values.length));
}
