import type uPlot from 'uplot';
import { isOfDocument } from '../../../../src/policy/rules/metrics.js';
import { axisStyle, type PlotOptions, thresholdLines } from '../../plots.js';
import { colorOf } from '../../theme.js';
import { numberText } from '../../ui/number.js';
import { axisOf, scaleOf } from './axes.js';
import type { Series } from './series.js';
import { linesOf, type Threshold } from './thresholds.js';

/** Returns the plot of a metric. `shown` returns what it shows now. */
export function plotOf(
  metric: string,
  shown: () => { readonly series: Series; readonly thresholds: readonly Threshold[] },
): PlotOptions {
  const axis = axisStyle();
  const accent = colorOf('--accent');
  const yAxis = isOfDocument(metric)
    ? { size: 34, splits: [0, 25, 50, 75, 100] }
    : { size: 58, values: (_: uPlot, splits: number[]) => splits.map((one) => numberText(one, 4)) };
  const range = (): [number, number] => {
    const { series, thresholds } = shown();
    const { values, clears } = linesOf(thresholds);
    return scaleOf(metric, [...series.values, ...series.means, ...values, ...clears]);
  };
  return {
    scales: { x: { time: false, range: (_, first, last) => axisOf(first, last) }, y: { range } },
    axes: [
      { ...axis, size: 28, space: 60, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
      { ...axis, ...yAxis },
    ],
    series: [
      {},
      { stroke: axis.stroke, width: 1, points: { size: 4, fill: axis.stroke }, spanGaps: false },
      { stroke: accent, width: 2.25, points: { size: 4, fill: accent }, spanGaps: true },
    ],
    data: dataOf(shown().series),
    lines: () => {
      const { values, clears } = linesOf(shown().thresholds);
      return [...thresholdLines(values, false), ...thresholdLines(clears, true)];
    },
  };
}

/** Returns a series as uPlot takes it. */
export function dataOf({ facts, values, means }: Series): uPlot.AlignedData {
  return [facts as number[], values as (number | null)[], means as (number | null)[]];
}
