import { type BacktestResult, secondsHeld } from '../../policy/backtest/backtest.js';
import type { Expected } from './read-tests.js';
import { isoOf } from '../../system/iso.js';

/** Returns how the outcome of a test differs from what it expects, a line for each member; none if it passes. */
export function differencesOf(result: BacktestResult, expected: Expected): readonly string[] {
  const held = secondsHeld(result.periods);
  const counts = [
    ['firings', result.firings, expected.firings],
    ['held', held, expected.held],
    ['evaluations', result.evaluations, expected.evaluations],
  ] as const;
  return [
    ...counts.flatMap(([member, is, wanted]) =>
      wanted === undefined || is === wanted ? [] : [`${member}: ${is}, expected ${wanted}`],
    ),
    ...messageDifferences(result, expected.messages),
  ];
}

/** Returns the outcome of a test in one line. */
export function outcomeText({ evaluations, messages, firings, periods }: BacktestResult): string {
  const sent = `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`;
  return `${sent}, firings ${firings}, held ${secondsHeld(periods)} s, evaluations ${evaluations}`;
}

function messageDifferences({ messages }: BacktestResult, wanted: Expected['messages']): readonly string[] {
  if (wanted === undefined) return [];
  const isThere = messages.map(({ state, at }) => lineOf(state, at));
  const isExpected = wanted.map(({ state, at }) => lineOf(state, Date.parse(at)));
  const first = isExpected.findIndex((line, i) => line !== isThere[i]);
  const place = first === -1 && isThere.length > isExpected.length ? isExpected.length : first;
  if (place === -1) return [];
  const shown = (lines: readonly string[]): string => lines[place] ?? 'none';
  return [`messages[${place}]: ${shown(isThere)}, expected ${shown(isExpected)}`];
}

function lineOf(state: string, at: number): string {
  return `${state} at ${isoOf(at)}`;
}
