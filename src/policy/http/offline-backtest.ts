import type { Backtest } from '../backtest/backtest.js';
import { DEFAULT_WINDOW_SIZE } from '../tenant/tenant-machine.js';
import { backtestReader } from './backtest-body.js';

/** The largest that the setting WINDOW_MAX may be. */
const LARGEST_WINDOW_SIZE = 10_000;
/** The default of the setting WINDOW_GAP_S, s. */
export const DEFAULT_GAP_S = 300;

const read = backtestReader({
  metrics: { any: true, listed: [] },
  windowMax: LARGEST_WINDOW_SIZE,
  gapS: DEFAULT_GAP_S,
});

/**
 * Checks the body of a backtest as the policy API does, with the default settings and any metric. Throws
 * `Refusal('bad-request')` that names every problem.
 */
export function offlineBacktest(body: unknown): Backtest {
  return read(body, DEFAULT_WINDOW_SIZE);
}
