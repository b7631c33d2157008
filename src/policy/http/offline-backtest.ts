import { Refusal } from '../../errors.js';
import type { Backtest } from '../backtest/backtest.js';
import { type CsvFact, withLines } from '../backtest/csv-facts.js';
import { DEFAULT_WINDOW_SIZE } from '../tenant/tenant-machine.js';
import { backtestReader } from './backtest-body.js';

/** The largest that the setting WINDOW_MAX may be. */
export const LARGEST_WINDOW_SIZE = 10_000;
/** The default of the setting WINDOW_GAP_S, s. */
export const DEFAULT_GAP_S = 300;

const OFFLINE = { metrics: { any: true, listed: [] }, windowMax: LARGEST_WINDOW_SIZE, gapS: DEFAULT_GAP_S };
const read = backtestReader(OFFLINE);
const readSeries = backtestReader({ ...OFFLINE, factsLimit: Infinity });

/**
 * Checks the body of a backtest as the policy API does, with the default settings and any metric. Throws
 * `Refusal('bad-request')` that names every problem.
 */
export function offlineBacktest(body: unknown): Backtest {
  return read(body, DEFAULT_WINDOW_SIZE);
}

/** As `offlineBacktest`, with any number of facts of a CSV file. Throws an `Error` that names lines of the file. */
export function csvBacktest(facts: readonly CsvFact[], rest: Readonly<Record<string, unknown>>): Backtest {
  try {
    return readSeries({ ...rest, facts: facts.map(({ fact }) => fact) }, DEFAULT_WINDOW_SIZE);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(withLines(error.message, facts), { cause: error });
  }
}
