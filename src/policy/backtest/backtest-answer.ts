import { type BacktestResult, secondsHeld } from './backtest.js';
import type { BacktestAnswer } from './shapes.js';

/** Returns the answer of the API and of the command. */
export function backtestAnswer({ evaluations, messages, firings, periods }: BacktestResult): BacktestAnswer {
  const shown = messages.map(({ at, index, state, measures }) => ({
    index,
    at: new Date(at).toISOString(),
    state,
    measures,
  }));
  return { evaluations, messages: shown, firings, held: secondsHeld(periods) };
}
