import type { ComponentChildren } from 'preact';
import { Shape, type Tone } from './badge.js';
import { Link } from './link.js';

interface FigureProps {
  readonly label: string;
  /** The page that lists what is counted. */
  readonly to: string;
  /** The number. */
  readonly children: ComponentChildren;
  /** Marks a number that needs attention. */
  readonly tone?: Tone | undefined;
  readonly note?: ComponentChildren;
  /** Last values, oldest first, drawn below the number. */
  readonly series?: readonly number[];
}

/** A number with its name, as a link to what it counts. */
export function Figure({ label, to, children, tone, note, series }: FigureProps) {
  return (
    <Link to={to} class="figure">
      <span class="figure-label">{label}</span>
      <span class={`figure-value ${tone ?? ''}`}>
        {tone !== undefined && <Shape tone={tone} />}
        {children}
      </span>
      {note !== undefined && <span class="figure-note">{note}</span>}
      {series !== undefined && <Sparkline values={series} />}
    </Link>
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** The course of a number, without a scale: its highest value is the full height. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const y = most === 0 ? HEIGHT - 1 : HEIGHT - 1 - (value / most) * (HEIGHT - 3);
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
