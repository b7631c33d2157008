import type uPlot from 'uplot';
import { axisStyle, drawLines, type DrawnPlot, type PlotLine, plotSize } from '../../plots.js';
import { colorOf } from '../../theme.js';
import { numberText } from '../../ui/number.js';
import { axisOf, isPercentage, scaleOf } from './axes.js';
import type { Series } from './series.js';
import { linesOf, type Threshold } from './thresholds.js';

/** A drawn series. */
export interface Plot extends DrawnPlot {
  show(series: Series, thresholds: readonly Threshold[]): void;
}

/** Draws a series of a metric into `place`. The library is loaded when the first series is drawn. */
export async function drawPlot(place: HTMLElement, metric: string): Promise<Plot> {
  const { default: Library } = await import('uplot');
  let lines: readonly PlotLine[] = [];
  let shown: readonly (number | null)[] = [];
  const axis = axisStyle();
  const colors = { values: axis.stroke, mean: colorOf('--accent') };
  const plot = new Library(
    {
      ...plotSize(place.clientWidth),
      padding: [10, 10, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_, first, last) => axisOf(first, last) },
        y: { range: () => scaleOf(metric, shown) },
      },
      axes: [
        {
          ...axis,
          size: 28,
          space: 60,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        },
        {
          ...axis,
          ...(isPercentage(metric)
            ? { size: 34, splits: [0, 25, 50, 75, 100] }
            : { size: 58, values: (_: uPlot, splits: number[]) => splits.map((one) => numberText(one, 4)) }),
        },
      ],
      series: [
        {},
        { stroke: colors.values, width: 1, points: { size: 4, fill: colors.values }, spanGaps: false },
        { stroke: colors.mean, width: 2.25, points: { size: 4, fill: colors.mean }, spanGaps: true },
      ],
      hooks: { draw: [(drawn) => drawLines(drawn, lines)] },
    },
    [[], [], []],
    place,
  );
  return {
    show({ facts, values, means }, thresholds) {
      lines = plotLines(thresholds);
      shown = [...values, ...means, ...lines.map(({ at }) => at)];
      plot.setData([facts as number[], values as (number | null)[], means as (number | null)[]]);
    },
    resize: (width) => plot.setSize(plotSize(width)),
    end: () => plot.destroy(),
  };
}

/** Returns the lines of thresholds, and of the numbers at which they clear. */
function plotLines(thresholds: readonly Threshold[]): readonly PlotLine[] {
  const colors = { threshold: colorOf('--bad'), clear: colorOf('--warn') };
  return linesOf(thresholds).map(({ value, clears }) => ({
    axis: 'y',
    at: value,
    color: clears ? colors.clear : colors.threshold,
    dash: clears ? 2 : 6,
  }));
}
