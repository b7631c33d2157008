/** What the plots of the console have in common: their size, axes, and lines over the series. */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { colorOf, repaint } from './theme.js';

/** px. */
const HEIGHT = 190;
const LEAST_WIDTH = 120;
/** Height of the stripe above a shade, px. */
const STRIPE = 4;
/** Size of the labels of lines, px. */
const LABEL = 11;

/** What one plot has of its own. */
export interface PlotOptions extends Pick<uPlot.Options, 'axes' | 'bands' | 'scales' | 'series' | 'tzDate'> {
  readonly data: uPlot.AlignedData;
  /** Returns the lines to draw over the series. */
  readonly lines: () => readonly PlotLine[];
  /** Returns the times to shade below the series. */
  readonly shades?: () => readonly PlotShade[];
}

/** A part of the axis of times, with a stripe above it: the colour of the part alone is hard to see. */
export interface PlotShade {
  readonly from: number;
  readonly to: number;
  /** A colour of CSS. */
  readonly color: string;
  /** The colour of the stripe. */
  readonly stripe: string;
}

/** A dashed line over a plot. */
export interface PlotLine {
  /** `y`: a line across at a value. `x`: a line down at a place of the other axis. */
  readonly axis: 'x' | 'y';
  readonly at: number;
  /** A colour of CSS. */
  readonly color: string;
  /** Lengths of dashes and of the gaps after them in turns, px. */
  readonly dashes: readonly number[];
  /** Written above the right end of a line across. */
  readonly label?: string;
}

/** The lines across for thresholds, and for the numbers at which they clear. */
export function thresholdLines(values: readonly number[], clears: boolean): PlotLine[] {
  const color = colorOf(clears ? '--warn' : '--bad');
  return values.map((at) => ({ axis: 'y', at, color, dashes: clears ? [2, 4] : [6, 4] }));
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
      const { data, lines, shades, ...options } = optionsOf(Library);
      plot.current = new Library(
        {
          ...size(),
          ...options,
          // A label of the axis of times may be at the right end.
          padding: [10, 18, 0, 0],
          legend: { show: false },
          cursor: { show: false },
          hooks: {
            drawClear: [(drawn) => drawShades(drawn, shades?.() ?? [])],
            draw: [(drawn) => drawLines(drawn, lines())],
          },
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

/**
 * Labels of an axis of times, as uPlot takes them: [least step in seconds, text, then texts for labels with another year,
 * month and day, day, hour, minute and second than the one before, mode]. Month and day as in ISO 8601: `4/3` is two days in
 * different countries.
 */
export const TIME_LABELS = [
  [86_400 * 365, '{YYYY}', null, null, null, null, null, null, 1],
  [86_400 * 28, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
] satisfies uPlot.Axis.Values;

/** Shades parts of a plot before the rest is drawn over them. */
function drawShades(plot: uPlot, shades: readonly PlotShade[]): void {
  const { ctx, bbox } = plot;
  const scale = window.devicePixelRatio;
  const placeOf = (at: number): number =>
    Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(at, 'x', true)));
  ctx.save();
  for (const { from, to, color, stripe } of shades) {
    const left = placeOf(from);
    // A short time is seen, too.
    const width = Math.max(placeOf(to) - left, 2 * scale);
    ctx.fillStyle = color;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.fillStyle = stripe;
    ctx.fillRect(left, bbox.top, width, STRIPE * scale);
  }
  ctx.restore();
}

/** Draws lines over a plot. Called whenever the plot is drawn. */
function drawLines(plot: uPlot, lines: readonly PlotLine[]): void {
  const { ctx, bbox } = plot;
  const scale = window.devicePixelRatio;
  ctx.save();
  ctx.lineWidth = Math.max(1, scale);
  const labels: [place: number, text: string, color: string][] = [];
  for (const { axis, at, color, dashes, label } of lines) {
    const place = Math.round(plot.valToPos(at, axis, true)) + 0.5;
    ctx.setLineDash(dashes.map((length) => length * scale));
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
    if (label !== undefined) labels.push([place, label, color]);
  }
  drawLabels(plot, labels, scale);
  ctx.restore();
}

/** Writes labels at the right, above their lines; those of near lines above one another. */
function drawLabels(
  { ctx, bbox }: uPlot,
  labels: readonly (readonly [place: number, text: string, color: string])[],
  scale: number,
): void {
  ctx.font = `${LABEL * scale}px system-ui`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  const right = bbox.left + bbox.width - 4 * scale;
  const height = (LABEL + 2) * scale;
  const ground = colorOf('--surface');
  let above = Infinity;
  for (const [place, text, color] of labels.toSorted(([a], [b]) => b - a)) {
    const bottom = Math.max(bbox.top + height, Math.min(place - scale, above - height));
    above = bottom;
    const width = ctx.measureText(text).width + 6 * scale;
    ctx.globalAlpha = 0.75;
    ctx.fillStyle = ground;
    ctx.fillRect(right - width + 3 * scale, bottom - height, width, height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = color;
    ctx.fillText(text, right, bottom);
  }
}
