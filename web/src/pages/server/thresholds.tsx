import type { ServerRuleView } from '../../../../src/console/shapes.js';
import type { PlotLine } from '../../plots.js';
import { colorOf } from '../../theme.js';
import { numberText } from '../../ui/number.js';
import { Id, nameText } from '../../ui/text.js';
import { comparisonsOf } from '../rules/condition-text.js';

/** A number that rules compare a window with. */
export interface Threshold {
  readonly value: number;
  /** The number at which the comparison ends to hold; undefined: at the value. */
  readonly clear: number | undefined;
  readonly aggregate: string;
  /** The names of the rules that have it. */
  readonly names: readonly string[];
}

/** Thresholds that are named. */
const NAMED = 5;
/** Longest name beside a threshold, and in a chart, characters. */
const NAME_MAX = 80;
const LABEL_MAX = 20;

/** Lengths of dashes and gaps, px, by the place of a threshold among those of its metric. */
const DASHES: readonly (readonly number[])[] = [
  [7, 4],
  [2, 3],
  [12, 3, 2, 3],
  [16, 5],
  [4, 2, 2, 2],
];

function dashesOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length]!;
}

/** Returns the thresholds of a metric, equal ones of several rules as one. */
export function thresholdsOf(metric: string, rules: readonly ServerRuleView[]): readonly Threshold[] {
  const all = new Map<string, Threshold>();
  for (const { condition, name } of rules) {
    for (const [named, { value, clear, aggregate = 'mean' }] of comparisonsOf(condition)) {
      if (named !== metric) continue;
      const key = JSON.stringify([value, clear, aggregate]);
      const names = new Set([...(all.get(key)?.names ?? []), name]);
      all.set(key, { value, clear, aggregate, names: [...names] });
    }
  }
  return [...all.values()];
}

/** Returns the lines to draw. A sum is not a value of the series: it has none. */
export function linesOf(thresholds: readonly Threshold[]): readonly PlotLine[] {
  const [bad, warn] = [colorOf('--bad'), colorOf('--warn')];
  return thresholds.flatMap(({ value, clear, aggregate, names }, index): readonly PlotLine[] => {
    if (aggregate === 'sum') return [];
    const dashes = dashesOf(index);
    const what = aggregate === 'mean' ? '' : `${aggregate} `;
    const label = `${what}${numberText(value, 4)} ${nameText(names[0]!, LABEL_MAX)}`;
    const line: PlotLine = { axis: 'y', at: value, color: bad, dashes, label };
    if (clear === undefined) return [line];
    return [line, { axis: 'y', at: clear, color: warn, dashes, label: `clears ${numberText(clear, 4)}` }];
  });
}

/** Returns the first thresholds as words: `threshold 85, threshold of the max 95 that clears at 90`. */
export function thresholdTexts(thresholds: readonly Threshold[]): readonly string[] {
  return thresholds.slice(0, NAMED).map(({ value, clear, aggregate }) => {
    const what = aggregate === 'mean' ? 'threshold' : `threshold of the ${aggregate}`;
    const end = clear === undefined ? '' : ` that clears at ${numberText(clear, 4)}`;
    return `${what} ${numberText(value, 4)}${end}`;
  });
}

/** The thresholds below a chart, each with its line. */
export function Thresholds({ thresholds }: { readonly thresholds: readonly Threshold[] }) {
  return (
    <ul class="thresholds" aria-label="Thresholds">
      {thresholds.slice(0, NAMED).map(({ value, clear, aggregate, names }, index) => (
        <li key={index}>
          {aggregate !== 'sum' && <Line index={index} look="bad" />}
          {aggregate !== 'mean' && `${aggregate} `}
          <span class="num">{numberText(value, 4)}</span>
          {clear !== undefined && (
            <span class="clears">
              {aggregate !== 'sum' && <Line index={index} look="warn" />}
              clears at <span class="num">{numberText(clear, 4)}</span>
            </span>
          )}{' '}
          <span class="whose">
            <Id text={names[0]!} most={NAME_MAX} plain />
            {names.length > 1 && ` and ${names.length - 1} more`}
          </span>
        </li>
      ))}
      {thresholds.length > NAMED && <li>and {thresholds.length - NAMED} more</li>}
    </ul>
  );
}

function Line({ index, look }: { readonly index: number; readonly look: 'bad' | 'warn' }) {
  return (
    <svg class={`line ${look}`} viewBox="0 0 30 4" aria-hidden="true">
      <line x1="0" y1="2" x2="30" y2="2" stroke-dasharray={dashesOf(index).join(' ')} />
    </svg>
  );
}
