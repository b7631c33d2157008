/** What the plots of the console have in common: their size, axes, and lines over the series. */
import type uPlot from 'uplot';
import { colorOf } from './theme.js';

/** px. */
const HEIGHT = 190;
const LEAST_WIDTH = 120;
/** Length of the gap between two dashes, px. */
const GAP = 4;

/** A plot on the page. */
export interface DrawnPlot {
  /** Fits the width of its place, px. */
  resize(width: number): void;
  end(): void;
}

/** Returns the size of a plot in a place of this width, px. */
export function plotSize(width: number): { readonly width: number; readonly height: number } {
  return { width: Math.max(width, LEAST_WIDTH), height: HEIGHT };
}

/** Returns the present colours of an axis, with its font. */
export function axisStyle() {
  return {
    stroke: colorOf('--ink-faint'),
    font: '11px system-ui',
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
}

/** A dashed line over a plot. */
export interface PlotLine {
  /** `y`: a line across at a value. `x`: a line down at a place of the other axis. */
  readonly axis: 'x' | 'y';
  readonly at: number;
  /** A colour of CSS. */
  readonly color: string;
  /** Length of a dash, px. */
  readonly dash: number;
}

/** Draws lines over a plot. Called whenever the plot is drawn. */
export function drawLines(plot: uPlot, lines: readonly PlotLine[]): void {
  const { ctx, bbox } = plot;
  const scale = window.devicePixelRatio;
  ctx.save();
  ctx.lineWidth = Math.max(1, scale);
  for (const { axis, at, color, dash } of lines) {
    const place = Math.round(plot.valToPos(at, axis, true)) + 0.5;
    ctx.setLineDash([dash * scale, GAP * scale]);
    ctx.strokeStyle = color;
    ctx.beginPath();
    if (axis === 'y') {
      ctx.moveTo(bbox.left, place);
      ctx.lineTo(bbox.left + bbox.width, place);
    } else {
      ctx.moveTo(place, bbox.top);
      ctx.lineTo(place, bbox.top + bbox.height);
    }
    ctx.stroke();
  }
  ctx.restore();
}
