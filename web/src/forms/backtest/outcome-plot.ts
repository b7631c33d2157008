import type uPlot from 'uplot';
import type { BacktestMessage } from '../../../../src/policy/backtest/shapes.js';
import { axisStyle, type PlotLine, type PlotOptions, thresholdLines, TIME_LABELS } from '../../plots.js';
import { colorOf } from '../../theme.js';
import type { ComparedMetric } from './compared-metrics.js';
import type { PastFact } from './past-facts.js';

/** One metric of a backtest: what it is compared with, all measurements, and all messages. */
export interface TriedMetric extends ComparedMetric {
  readonly facts: readonly PastFact[];
  readonly messages: readonly BacktestMessage[];
}

/** Returns the plot of a metric, the messages marked. Times are UTC. */
export function outcomePlot(library: typeof uPlot, tried: TriedMetric): PlotOptions {
  const { facts, messages, metric, thresholds, clearThresholds } = tried;
  const axis = axisStyle();
  const values = facts.map((fact) => (typeof fact[metric] === 'number' ? fact[metric] : null));
  const marked = (state: BacktestMessage['state']): (number | null)[] => {
    const marks = facts.map((): number | null => null);
    for (const { index, state: said, measures } of messages) {
      if (index !== null && said === state) marks[index] = values[index] ?? measures[metric] ?? null;
    }
    return marks;
  };
  const marks = (color: string): uPlot.Series => ({
    width: 0,
    stroke: color,
    paths: () => null,
    points: { show: true, size: 8, width: 1.5, stroke: color, fill: color },
  });
  const lines = [
    ...thresholdLines(thresholds, false),
    ...thresholdLines(clearThresholds, true),
    ...messages
      .filter(({ state }) => state === 'noData')
      .map(({ at }): PlotLine => ({
        axis: 'x',
        at: Date.parse(at) / 1000,
        color: axis.stroke,
        dashes: [6, 4],
      })),
  ];
  return {
    tzDate: (seconds) => library.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { y: { range: (_, least, most) => rangeOf(least, most, [...thresholds, ...clearThresholds]) } },
    axes: [
      { ...axis, size: 40, space: 70, values: TIME_LABELS },
      { ...axis, size: 44 },
    ],
    series: [
      {},
      { stroke: axis.stroke, width: 1, points: { show: false }, spanGaps: true },
      marks(colorOf('--bad')),
      marks(colorOf('--good')),
    ],
    data: [facts.map(({ at }) => Date.parse(at) / 1000), values, marked('firing'), marked('resolved')],
    lines: () => lines,
  };
}

/** Returns the ends of the axis of values, with room around all values and lines. */
function rangeOf(least: number | null, most: number | null, lines: readonly number[]): [number, number] {
  const all = [...lines, ...[least, most].filter((one) => one !== null)];
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const room = (to - from) * 0.06 || 1;
  return all.length === 0 ? [0, 1] : [from - room, to + room];
}
