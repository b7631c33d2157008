import { backtest, backtestAnswer } from '../policy/backtest/backtest.js';
import { csvFacts, csvTable } from '../policy/backtest/csv-facts.js';
import type { BacktestAnswer, BacktestMessage } from '../policy/backtest/shapes.js';
import { offlineBacktest } from '../policy/http/offline-backtest.js';

export type { BacktestAnswer, BacktestMessage };

/** A measurement of the past: values by metric, and the time `at` in ISO 8601. */
export interface Measurement {
  readonly at: string;
  readonly [metric: string]: number | string;
}

/** A rule, and the measurements to try it on. */
export interface RuleTrial {
  /** A rule as the policy API takes it. */
  readonly rule: unknown;
  /** In the order of their times; at most 50,000. */
  readonly facts: readonly Measurement[];
  /** Number of values of a full window. Default: 5. */
  readonly windowsize?: number | undefined;
  /** A longer pause empties a window, s; 0: never. Default: 300. */
  readonly gap?: number | undefined;
}

/**
 * Returns what a live server would have sent for measurements of the past, by the same decisions. Throws an `Error` that names
 * every problem of the rule and of the measurements.
 */
export function tryRule(trial: RuleTrial): BacktestAnswer {
  return backtestAnswer(backtest(offlineBacktest(trial)));
}

/** The columns of a CSV text that have the times and the values. */
export interface MeasurementColumns {
  readonly time: string;
  /** Column by metric. */
  readonly metrics: Readonly<Record<string, string>>;
}

/**
 * Reads the measurements of a CSV text: a header, then one line for each. Times are ISO 8601, without a zone UTC, or seconds
 * or milliseconds since 1970. Throws an `Error` that names the column or the line.
 */
export function readMeasurements(csv: string, { time, metrics }: MeasurementColumns): readonly Measurement[] {
  const columns = { time, metrics: new Map(Object.entries(metrics)) };
  return csvFacts(csvTable(csv), columns).map(({ fact }) => fact);
}
