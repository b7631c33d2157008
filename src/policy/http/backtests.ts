import { type BodyOrder, bodyThread } from '../../untrusted/body-thread.js';
import { parseJson } from '../../untrusted/json-text.js';
import { backtest, backtestAnswer } from '../backtest/backtest.js';
import { backtestReader, type BacktestSettings } from './backtest-body.js';

/** An order for the thread of backtests. */
export interface BacktestOrder extends BodyOrder {
  /** The window size of a body that names none. */
  readonly windowsize: number;
}

/** Tries rules on measurements of the past. */
export type Backtests = ReturnType<typeof openBacktests>;

/**
 * Opens the backtests. They run in a thread that starts on first use: one may take seconds, and neither the event loop nor
 * other bodies wait for it.
 */
export function openBacktests(settings: BacktestSettings) {
  const thread = bodyThread<BacktestOrder, Uint8Array<ArrayBuffer>>(
    new URL('./backtests-worker.js', import.meta.url),
    settings,
  );
  return {
    /**
     * Returns the answer to a body (inflated): bytes of JSON. The clients of orders take turns. Rejects with a `Refusal`:
     * `unreadable`, `bad-request` with every problem, `too-large`, or `unavailable` if too many bytes wait; and with what
     * `begin` of the order throws.
     */
    run: async (order: BacktestOrder) => Buffer.from((await thread.run(order)).buffer),
    /** Refuses the bodies that wait as `unavailable`. */
    close: () => thread.close(),
  };
}

/**
 * Returns about how long the answer to a body is at most: each fact fires, and a message has three times the length of its
 * fact. Only a rule that compares many metrics with facts of few has a longer one.
 */
export function expectedAnswer(bytes: Buffer): number {
  return 3 * bytes.length;
}

/** Makes the work of the thread. */
export function backtestWork(
  settings: BacktestSettings,
): (order: Pick<BacktestOrder, 'bytes' | 'windowsize'>) => Uint8Array<ArrayBuffer> {
  const read = backtestReader(settings);
  const encoder = new TextEncoder();
  // Bytes, because an answer may have 150 MB, and the event loop would copy and encode a text.
  return ({ bytes, windowsize }) =>
    encoder.encode(JSON.stringify(backtestAnswer(backtest(read(parseJson(bytes), windowsize)))));
}
