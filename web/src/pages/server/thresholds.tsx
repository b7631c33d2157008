import type { ServerRuleView } from '../../../../src/console/shapes.js';
import { numberText } from '../../ui/number.js';
import { Id } from '../../ui/text.js';
import { comparisonsOf } from '../rules/condition-text.js';

/** A number that a rule compares a window with. */
export interface Threshold {
  readonly value: number;
  /** The number at which the comparison ends to hold; undefined: at the value. */
  readonly clear: number | undefined;
  readonly aggregate: string;
  /** The name of the rule. */
  readonly name: string;
}

/** Thresholds that are named. */
const NAMED = 5;
/** Longest name beside a threshold, characters. */
const NAME_MAX = 80;

/** Returns the thresholds of a metric. */
export function thresholdsOf(metric: string, rules: readonly ServerRuleView[]): readonly Threshold[] {
  return rules.flatMap(({ condition, name }) =>
    comparisonsOf(condition)
      .filter(([named]) => named === metric)
      .map(([, { value, clear, aggregate = 'mean' }]) => ({ value, clear, aggregate, name })),
  );
}

/** Returns the places of the lines to draw. A sum is not a value of the series: it has none. */
export function linesOf(thresholds: readonly Threshold[]) {
  const drawn = thresholds.filter(({ aggregate }) => aggregate !== 'sum');
  return {
    values: drawn.map(({ value }) => value),
    clears: drawn.flatMap(({ clear }) => clear ?? []),
  };
}

/** Returns the first thresholds as words: `threshold 85, threshold of the max 95 that clears at 90`. */
export function thresholdTexts(thresholds: readonly Threshold[]): readonly string[] {
  return thresholds.slice(0, NAMED).map(({ value, clear, aggregate }) => {
    const what = aggregate === 'mean' ? 'threshold' : `threshold of the ${aggregate}`;
    const end = clear === undefined ? '' : ` that clears at ${numberText(clear, 4)}`;
    return `${what} ${numberText(value, 4)}${end}`;
  });
}

/** The thresholds below a chart. */
export function Thresholds({ thresholds }: { readonly thresholds: readonly Threshold[] }) {
  return (
    <ul class="thresholds" aria-label="Thresholds">
      {thresholds.slice(0, NAMED).map(({ value, clear, aggregate, name }, index) => (
        <li key={index} class="key threshold">
          {aggregate !== 'mean' && `${aggregate} `}
          <span class="num">{numberText(value, 4)}</span>
          {clear !== undefined && (
            <span class="key clear">
              clears at <span class="num">{numberText(clear, 4)}</span>
            </span>
          )}{' '}
          <span class="whose">
            <Id text={name} most={NAME_MAX} plain />
          </span>
        </li>
      ))}
      {thresholds.length > NAMED && <li>and {thresholds.length - NAMED} more</li>}
    </ul>
  );
}
