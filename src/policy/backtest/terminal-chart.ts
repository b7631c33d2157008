import { isoOf } from '../../system/iso.js';

/** What a chart of the terminal shows. */
export interface ChartContent {
  readonly name: string;
  /** In the order of time; `at` in ms since the epoch. */
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** Numbers that a line is drawn at. */
  readonly thresholds: readonly number[];
}

/** Something that is marked below a chart. */
export interface ChartMarks {
  readonly label: string;
  readonly sign: string;
  /** Start and end of each, ms since the epoch. They are equal for a moment. */
  readonly spans: readonly (readonly [from: number, to: number])[];
}

/** The part of time that charts show, and their width. */
export interface ChartFrame {
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Number of columns of the drawing, without the labels. */
  readonly width: number;
}

/** Height of a drawing. */
const ROWS = 12;
/** Columns of the labels at the left, with the axis. */
export const LABELS = 11;

/** Returns the lines of a chart. A column shows the smallest to the largest value of its part of time. */
export function chartLines({ name, points, thresholds }: ChartContent, frame: ChartFrame): readonly string[] {
  const shown = [...points.map(({ value }) => value), ...thresholds];
  const least = shown.reduce((a, b) => Math.min(a, b), Infinity);
  const most = shown.reduce((a, b) => Math.max(a, b), -Infinity);
  // The difference of two numbers may be infinite; that of their halves is not.
  const scale = Number.isFinite(most - least) ? 1 : 0.5;
  const step = (most * scale - least * scale) / (ROWS - 1) || 1;
  const rowOf = (value: number): number => Math.round((most * scale - value * scale) / step);
  const grid = Array.from({ length: ROWS }, () => Array.from({ length: frame.width }, () => ' '));
  for (const threshold of thresholds) grid[rowOf(threshold)]!.fill('╌');
  for (const [column, [low, high]] of rangesOf(points, frame)) {
    const [top, bottom] = [rowOf(high), rowOf(low)];
    for (let row = top; row <= bottom; row += 1) grid[row]![column] = top === bottom ? '•' : '┃';
  }
  const thresholdAt = new Map(thresholds.map((value) => [rowOf(value), value]));
  const labelOf = (row: number): string => {
    const threshold = thresholdAt.get(row);
    if (threshold !== undefined) return `${numberText(threshold)} ┼`;
    if (row === 0) return `${numberText(most)} ┤`;
    // If all values are equal, they are in the top row, and the rows below count down by 1.
    return row === ROWS - 1 ? `${numberText(most > least ? least : most - row * step)} ┤` : '│';
  };
  return [
    name.padStart(LABELS - 1),
    ...grid.map((cells, row) => `${labelOf(row).padStart(LABELS)}${cells.join('')}`.trimEnd()),
  ];
}

/** Returns the line of marks below a chart. */
export function marksLine({ label, sign, spans }: ChartMarks, frame: ChartFrame): string {
  const cells = Array.from({ length: frame.width }, () => ' ');
  for (const [from, to] of spans) cells.fill(sign, columnOf(from, frame), columnOf(to, frame) + 1);
  return `${label.padStart(LABELS - 1)} ${cells.join('')}`.trimEnd();
}

/** Returns the lines of the time axis, UTC. */
export function axisLines({ from, to, width }: ChartFrame): readonly string[] {
  const [first, last] = [minuteText(from), minuteText(to)];
  const gap = ' '.repeat(Math.max(1, width - first.length - last.length));
  return [`${'└'.padStart(LABELS)}${'─'.repeat(width)}`, `${' '.repeat(LABELS)}${first}${gap}${last}`];
}

function rangesOf(
  points: ChartContent['points'],
  frame: ChartFrame,
): ReadonlyMap<number, readonly [number, number]> {
  const ranges = new Map<number, readonly [number, number]>();
  for (const { at, value } of points) {
    const column = columnOf(at, frame);
    const [low, high] = ranges.get(column) ?? [value, value];
    ranges.set(column, [Math.min(low, value), Math.max(high, value)]);
  }
  return ranges;
}

function columnOf(at: number, { from, to, width }: ChartFrame): number {
  return to === from ? 0 : Math.round(((at - from) / (to - from)) * (width - 1));
}

function numberText(value: number): string {
  const hundredths = Math.round(value * 100);
  const text = Number.isFinite(hundredths) ? String(hundredths / 100) : String(value);
  return text.length < LABELS - 2 ? text : value.toExponential(1);
}

function minuteText(at: number): string {
  return isoOf(at).slice(0, 16).replace('T', ' ');
}
