import type uPlot from 'uplot';
import { isOfDocument } from '../../../../src/policy/rules/metrics.js';
import { axisStyle, type PlotOptions, type PlotShade, TIME_LABELS } from '../../plots.js';
import { colorOf } from '../../theme.js';
import { numberText } from '../../ui/number.js';
import { scaleOf } from './axes.js';
import { type FiringTime, type Points, type Span, SPANS } from './past.js';
import { linesOf, type Threshold } from './thresholds.js';

/** What a plot shows. */
export interface Shown {
  readonly points: Points;
  readonly thresholds: readonly Threshold[];
  readonly firing: readonly FiringTime[];
  readonly span: Span;
  /** The right end of the axis of times, ms since the epoch. */
  readonly now: number;
}

/** Opacity of the area between the smallest and the largest value. */
const AREA = 0.2;

/** Returns the plot of a metric. `shown` returns what it shows now. Times are the viewer's. */
export function plotOf(metric: string, shown: () => Shown): PlotOptions {
  const axis = axisStyle();
  const accent = colorOf('--accent');
  const yAxis = isOfDocument(metric)
    ? { size: 34, splits: [0, 25, 50, 75, 100] }
    : { size: 58, values: (_: uPlot, splits: number[]) => splits.map((one) => numberText(one, 4)) };
  const valueRange = (): [number, number] => {
    const { points, thresholds } = shown();
    const [, , least, most] = points;
    return scaleOf(metric, [...least, ...most, ...linesOf(thresholds).map(({ at }) => at)]);
  };
  const timeRange = (): [number, number] => {
    const { span, now } = shown();
    return [(now - SPANS[span].length) / 1_000, now / 1_000];
  };
  const edge = { stroke: accent, width: 0, points: { show: false }, spanGaps: false };
  return {
    scales: { x: { time: true, range: timeRange }, y: { range: valueRange } },
    axes: [
      { ...axis, size: 40, space: 60, values: TIME_LABELS },
      { ...axis, ...yAxis },
    ],
    series: [
      {},
      { stroke: accent, width: 2, points: { show: true, size: 4, fill: accent }, spanGaps: false },
      edge,
      edge,
    ],
    bands: [{ series: [3, 2], fill: transparent(accent) }],
    data: [...shown().points],
    lines: () => linesOf(shown().thresholds),
    shades: () => shadesOf(shown()),
  };
}

function shadesOf({ firing, span, now }: Shown): readonly PlotShade[] {
  const [color, stripe] = [colorOf('--bad-soft'), colorOf('--bad')];
  const first = now - SPANS[span].length;
  return firing
    .filter(({ to = now }) => to > first)
    .map(({ from, to = now }) => ({ from: Math.max(from, first) / 1_000, to: to / 1_000, color, stripe }));
}

/** Returns a colour of CSS, `rgb(1, 2, 3)`, that lets others through. */
function transparent(color: string): string {
  return color.replace('rgb(', 'rgba(').replace(')', `, ${AREA})`);
}
