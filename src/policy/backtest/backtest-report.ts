import { compiled } from '../rules/compiled.js';
import { conditionText } from '../rules/condition.js';
import type { Metric } from '../rules/metrics.js';
import {
  type Backtest,
  type BacktestResult,
  type PastMessage,
  type Period,
  secondsHeld,
} from './backtest.js';
import { isoOf } from '../../system/iso.js';
import { axisLines, type ChartFrame, chartLines, LABELS, marksLine } from './terminal-chart.js';

/** The states of messages, each with its sign below the charts. */
const MARKS = [
  ['firing', '▲'],
  ['resolved', '▽'],
  ['noData', '?'],
] as const;

/**
 * Returns a backtest as text for a terminal: a chart of each metric with its thresholds and the messages, the counts, and
 * each period that held. `columns`: width of the terminal.
 */
export function backtestReport(tried: Backtest, result: BacktestResult, columns: number): string {
  const { facts, rule } = tried;
  const { evaluations, messages, firings, periods } = result;
  const charts = facts.length === 0 ? [] : chartsOf(tried, result, columns);
  const counts = [
    `${count(firings, 'firing')}, ${count(messages.length, 'message')}, ${count(evaluations, 'evaluation')} of ${count(facts.length, 'fact')}`,
    `held for ${durationText(secondsHeld(periods))} in ${count(periods.length, 'period')}${periods.length === 0 ? '' : ':'}`,
  ];
  const lines = [
    `${rule.name}: ${conditionText(rule.condition)}`,
    ...charts,
    '',
    ...counts,
    ...periods.map(periodText),
  ];
  return `${lines.join('\n')}\n`;
}

function chartsOf(
  { rule, facts }: Backtest,
  { messages, periods }: BacktestResult,
  columns: number,
): string[] {
  const { metrics, comparisons } = compiled(rule.condition);
  const frame: ChartFrame = {
    from: facts[0]!.at,
    to: facts.at(-1)!.at,
    width: Math.max(20, Math.min(columns, 160) - LABELS - 1),
  };
  const chartOf = (metric: Metric): readonly string[] => {
    const points = facts.flatMap(({ at, measures }) =>
      Object.hasOwn(measures, metric) ? [{ at, value: measures[metric]! }] : [],
    );
    // The sum of a window has another scale than its values.
    const compared = comparisons.filter((one) => one.metric === metric && one.aggregate !== 'sum');
    const thresholds = compared.flatMap(({ value, clear }) =>
      clear === undefined ? [value] : [value, clear],
    );
    return points.length === 0 ? [] : chartLines({ name: metric, points, thresholds }, frame);
  };
  const spansOf = (state: PastMessage['state']) =>
    messages.filter((one) => one.state === state).map(({ at }) => [at, at] as const);
  const held = periods.map(({ from, to }) => [from, to] as const);
  const marks = [
    { label: 'held', sign: '━', spans: held },
    ...MARKS.map(([state, sign]) => ({ label: state, sign, spans: spansOf(state) })),
  ];
  return [
    ...metrics.flatMap(chartOf),
    ...axisLines(frame),
    ...marks.filter(({ spans }) => spans.length > 0).map((one) => marksLine(one, frame)),
  ];
}

function periodText({ from, to, ended }: Period): string {
  const end = ended ? '' : ', and goes on after the last fact';
  return `  ${isoSeconds(from)} to ${isoSeconds(to)}: ${durationText((to - from) / 1000)}${end}`;
}

function isoSeconds(at: number): string {
  return isoOf(at).replace('.000Z', 'Z');
}

/** Returns `135600 s (37 h 40 min)`. Fractions of seconds are not in the brackets. */
function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const whole = Math.floor(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ].flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`]));
  return `${seconds} s (${parts.join(' ')})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
