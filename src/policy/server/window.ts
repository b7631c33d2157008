import { METRICS } from '../rules/condition.js';
import type { Measures, Metric } from '../rules/condition.js';

/** The newest values of one metric of one server. */
export interface Window {
  /** Percent of utilization, oldest first. */
  readonly values: readonly number[];
  /** Arrival of the newest value, ms since the epoch; 0 for an empty window. */
  readonly at: number;
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

export type Windows = Readonly<Record<Metric, Window>>;

const EMPTY: Window = { values: [], at: 0 };

/** The windows of a server without measurements. */
export const EMPTY_WINDOWS: Windows = { cpu: EMPTY, mem: EMPTY, hdd: EMPTY, net: EMPTY };

/**
 * Adds each value to the window of its metric and keeps the newest `size` values. First empties each window, measured or
 * not, whose newest value is older than `gapMs` (0: never).
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
  const outdated = gapMs > 0 && window.values.length > 0 && now - window.at > gapMs;
  if (outdated) return emptied(window, value, now, size);
  if (value === undefined) return withoutPause(window, size);
  const values = window.values.slice(-size);
  // Removes a value before it adds one: an array that grows reserves room for many more.
  if (values.length === size) values.shift();
  values.push(value);
  return window.emptied === undefined || values.length >= size
    ? { values, at: now }
    : { values, at: now, emptied: window.emptied };
}

/** Returns the window after a pause, with the value that ends the pause, if any. */
function emptied(window: Window, value: number | undefined, now: number, size: number): Window {
  const pause: EmptyingPause = { at: now, pause: now - window.at };
  if (value === undefined) return { values: [], at: 0, emptied: pause };
  return withoutPause({ values: [value], at: now, emptied: pause }, size);
}

/** Forgets the pause that emptied a window if the window is full again. */
function withoutPause(window: Window, size: number): Window {
  const { values, at } = window;
  return window.emptied === undefined || values.length < size ? window : { values, at };
}

/** Cuts the windows to their newest `size` values (policy §4, operation 3). */
export function shrink(windows: Windows, size: number): Windows {
  if (METRICS.every((metric) => windows[metric].values.length <= size)) return windows;
  const cut = (window: Window): Window =>
    window.values.length <= size ? window : { values: window.values.slice(-size), at: window.at };
  return { cpu: cut(windows.cpu), mem: cut(windows.mem), hdd: cut(windows.hdd), net: cut(windows.net) };
}

/**
 * Returns the unrounded mean. The sum is compensated (Neumaier) and the mean stays between the smallest and the largest
 * value. Equal values therefore have exactly that value as their mean: `greater 85.1` does not hold for values of 85.1.
 */
export function mean(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  let least = Infinity;
  let most = -Infinity;
  // By index: an iterator allocates an object per value.
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

/** Returns the mean of the window of each of these metrics. The windows are not empty. */
export function meansOf(metrics: readonly Metric[], windows: Windows): Measures {
  return Object.fromEntries(metrics.map((metric) => [metric, mean(windows[metric].values)]));
}

/** Returns the text of `JSON.stringify(windows)` in half the time. Every fact writes it. */
export function windowsText({ cpu, mem, hdd, net }: Windows): string {
  return `{"cpu":${windowText(cpu)},"mem":${windowText(mem)},"hdd":${windowText(hdd)},"net":${windowText(net)}}`;
}

function windowText({ values, at, emptied: pause }: Window): string {
  let text = '';
  for (let i = 0; i < values.length; i += 1) text += (i === 0 ? '' : ',') + percentText(values[i]!);
  if (pause === undefined) return `{"values":[${text}],"at":${at}}`;
  return `{"values":[${text}],"at":${at},"emptied":{"at":${pause.at},"pause":${pause.pause}}}`;
}

/** Texts of whole hundredths, each made on its first use. Most measurements have two decimals at most. */
const HUNDREDTHS: string[] = [];

/** `value` is from 0 to 100. */
function percentText(value: number): string {
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 !== value) return String(value);
  return (HUNDREDTHS[hundredths] ??= String(value));
}
