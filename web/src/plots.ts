/** What the plots of the console have in common: their size, axes, and lines over the series. */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { colorOf, repaint } from './theme.js';

/** px. */
const HEIGHT = 190;
const LEAST_WIDTH = 120;
/** Length of the gap between two dashes, px. */
const GAP = 4;

/** What one plot has of its own. */
export interface PlotOptions extends Pick<uPlot.Options, 'axes' | 'scales' | 'series' | 'tzDate'> {
  readonly data: uPlot.AlignedData;
  /** Returns the lines to draw over the series. */
  readonly lines: () => readonly PlotLine[];
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

/** The lines across for thresholds, and for the numbers at which they clear. */
export function thresholdLines(values: readonly number[], clears: boolean): PlotLine[] {
  const color = colorOf(clears ? '--warn' : '--bad');
  return values.map((at) => ({ axis: 'y', at, color, dash: clears ? 2 : 6 }));
}

/**
 * Draws a plot into the element that has the reference `place`, and again when colours or `inputs` change. `optionsOf` gets
 * uPlot, which is loaded with the first plot. The plot follows the width of the element, and ends with the component.
 * `plot.current` is undefined until the plot is drawn.
 */
export function usePlot(optionsOf: (library: typeof uPlot) => PlotOptions, inputs: readonly unknown[]) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  // Reads the signal: colours of a canvas are not those of the stylesheet.
  const paint = repaint.value;

  useEffect(() => {
    let ended = false;
    // Preact empties `place` when the page is left, but ends this effect after the next paint.
    const element = place.current!;
    const size = () => ({ width: Math.max(element.clientWidth, LEAST_WIDTH), height: HEIGHT });
    const sizes = new ResizeObserver(() => plot.current?.setSize(size()));
    void import('uplot').then(({ default: Library }) => {
      if (ended) return;
      const { data, lines, ...options } = optionsOf(Library);
      plot.current = new Library(
        {
          ...size(),
          ...options,
          padding: [10, 10, 0, 0],
          legend: { show: false },
          cursor: { show: false },
          hooks: { draw: [(drawn) => drawLines(drawn, lines())] },
        },
        data,
        element,
      );
      sizes.observe(element);
    });
    return () => {
      ended = true;
      sizes.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [paint, ...inputs]);

  return { place, plot };
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

/** Draws lines over a plot. Called whenever the plot is drawn. */
function drawLines(plot: uPlot, lines: readonly PlotLine[]): void {
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
