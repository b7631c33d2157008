import type { EmailSeries } from '../../delivery/port.js';
import type { CompiledCondition } from '../rules/compiled.js';
import type { Aggregate } from '../rules/condition.js';
import { isOfDocument } from '../rules/metrics.js';
import { aggregated } from '../windows/aggregate.js';
import { arrayOf } from '../windows/slide.js';
import { type Values, windowOf, type Windows } from '../windows/window.js';

/** A message keeps at most so many windows, and so many numbers of each, of so many digits: outboxes hold many messages. */
const MAX_SERIES = 4;
const MAX_VALUES = 60;
const DIGITS = 6;

/**
 * Returns the windows that a condition was evaluated with, for its mail: of the first four metrics, in the order in which
 * the condition names them. A window of one value is not a series.
 */
export function mailSeries(condition: CompiledCondition, windows: Windows<Values>): readonly EmailSeries[] {
  return condition.metrics
    .filter((metric) => windowOf(windows, metric).values.length > 1)
    .slice(0, MAX_SERIES)
    .map((metric) => {
      const values = arrayOf(windowOf(windows, metric).values);
      const named = condition.comparisons.filter((compared) => compared.metric === metric);
      // A sum is on another scale than the values.
      const drawn = named.filter(({ aggregate }) => aggregate !== 'sum');
      return {
        metric,
        values: thinned(values, named[0]!.aggregate),
        size: values.length,
        thresholds: [...new Set(drawn.map(({ value }) => value))],
        clears: [...new Set(drawn.flatMap(({ clear }) => clear ?? []))],
        percent: isOfDocument(metric),
      };
    });
}

/** Returns at most `MAX_VALUES` numbers for the values of a window. Each stands for equally many, the first for fewer. */
function thinned(values: readonly number[], aggregate: Aggregate): readonly number[] {
  const each = Math.ceil(values.length / MAX_VALUES);
  const numbers: number[] = [];
  for (let end = values.length % each || each; end <= values.length; end += each) {
    const some = values.slice(Math.max(0, end - each), end);
    numbers.push(aggregated(aggregate === 'sum' ? 'mean' : aggregate, some));
  }
  return numbers.map((value) => Number(value.toPrecision(DIGITS)));
}
