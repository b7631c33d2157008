import type uPlot from 'uplot';
import { colorOf } from '../../theme.js';
import { axisOf } from './series.js';
import type { Series } from './series.js';

/** A threshold of a rule. */
export interface Threshold {
  readonly value: number;
  readonly name: string;
}

/** A drawn series. */
export interface Plot {
  show(series: Series, thresholds: readonly Threshold[]): void;
  /** Fits the width of its place, px. */
  resize(width: number): void;
  end(): void;
}

const HEIGHT = 190;
/** Draws a series of percentages into `place`. The library is loaded when the first series is drawn. */
export async function drawPlot(place: HTMLElement): Promise<Plot> {
  const { default: Library } = await import('uplot');
  let thresholds: readonly Threshold[] = [];
  const colors = {
    values: colorOf('--ink-faint'),
    mean: colorOf('--accent'),
    threshold: colorOf('--bad'),
    text: colorOf('--ink-faint'),
    grid: colorOf('--line'),
  };
  const axis = { stroke: colors.text, grid: { stroke: colors.grid, width: 1 }, ticks: { show: false } };
  const plot = new Library(
    {
      width: Math.max(place.clientWidth, 120),
      height: HEIGHT,
      padding: [10, 10, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_, first, last) => axisOf(first, last) },
        // Room above, so that the line of 100 % is seen.
        y: { range: [0, 104] },
      },
      axes: [
        {
          ...axis,
          font: '11px system-ui',
          size: 28,
          space: 60,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        },
        { ...axis, font: '11px system-ui', size: 34, splits: [0, 25, 50, 75, 100] },
      ],
      series: [
        {},
        { stroke: colors.values, width: 1, points: { size: 4, fill: colors.values }, spanGaps: false },
        { stroke: colors.mean, width: 2.25, points: { size: 4, fill: colors.mean }, spanGaps: true },
      ],
      hooks: { draw: [(drawn) => drawThresholds(drawn, thresholds, colors.threshold)] },
    },
    [[], [], []],
    place,
  );
  return {
    show({ facts, values, means }, lines) {
      thresholds = lines;
      plot.setData([facts as number[], values as (number | null)[], means as (number | null)[]]);
    },
    resize: (width) => plot.setSize({ width: Math.max(width, 120), height: HEIGHT }),
    end: () => plot.destroy(),
  };
}

function drawThresholds(plot: uPlot, thresholds: readonly Threshold[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = Math.max(1, window.devicePixelRatio);
  ctx.setLineDash([6 * window.devicePixelRatio, 4 * window.devicePixelRatio]);
  for (const { value } of thresholds) {
    const y = Math.round(plot.valToPos(value, 'y', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}
