import { type Metric, ofMetric } from '../rules/metrics.js';
import type { Measurement } from './window.js';

/**
 * The values of some metrics in one minute, in one array because every fact writes it: the minute since the epoch, then
 * for each metric the count, and in hundredths the sum, the smallest and the largest value. Zeros without a value.
 */
export type MinuteFigures = readonly number[];

/** The values of the watched metrics of a server that came in one minute. */
export interface TrendMinute {
  readonly metrics: readonly Metric[];
  readonly figures: MinuteFigures;
}

/** Figures of one metric. */
const FIGURES = 4;
const MINUTE_MS = 60_000;

/** Returns the minute of a time in ms since the epoch. */
export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS);
}

/** Returns the start of a minute, ms since the epoch. */
export function timeOf(minute: number): number {
  return minute * MINUTE_MS;
}

/** Returns a minute without values. */
export function newMinute(minute: number, metrics: readonly Metric[]): MinuteFigures {
  return [minute, ...metrics.flatMap(() => [0, 0, 0, 0])];
}

/** Returns a minute with the values of these measurements. */
export function counted(
  before: MinuteFigures,
  metrics: readonly Metric[],
  measurements: readonly Measurement[],
): MinuteFigures {
  const figures = before.slice();
  for (const { measures } of measurements) {
    for (let i = 0, at = 1; i < metrics.length; i += 1, at += FIGURES) {
      const value = ofMetric(measures, metrics[i]!);
      if (value === undefined) continue;
      const scaled = hundredthsOf(value);
      const isFirst = figures[at] === 0;
      figures[at]! += 1;
      figures[at + 1] = finite(figures[at + 1]! + scaled);
      if (isFirst || scaled < figures[at + 2]!) figures[at + 2] = scaled;
      if (isFirst || scaled > figures[at + 3]!) figures[at + 3] = scaled;
    }
  }
  return figures;
}

/** Returns count, mean, smallest and largest value of one metric; undefined without a value. */
export function figuresOf({ metrics, figures }: TrendMinute, metric: Metric) {
  const at = 1 + metrics.indexOf(metric) * FIGURES;
  const count = at < 1 ? 0 : figures[at]!;
  if (count === 0) return undefined;
  const [sum, min, max] = [figures[at + 1]!, figures[at + 2]!, figures[at + 3]!];
  return { count, mean: sum / count / 100, min: min / 100, max: max / 100 };
}

/** Whole for nearly all values: whole numbers are copied and written several times as fast. */
function hundredthsOf(value: number): number {
  const exact = value * 100;
  const whole = Math.round(exact);
  // Without the sign of -0.
  return whole / 100 === value ? whole + 0 : finite(exact);
}

function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
