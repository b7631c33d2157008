import { oneLine } from '../../untrusted/text.js';
import type { EmailSeries } from '../port.js';

/** Returns the texts of a series with at least one value. */
export function seriesText(series: EmailSeries) {
  const { values, size, thresholds, clears, percent } = series;
  const metric = oneLine(series.metric, 100);
  const unit = percent ? ' %' : '';
  const lines = [
    ...(thresholds.length === 0 ? [] : [`the threshold is ${listOf(thresholds, unit)}`]),
    ...(clears.length === 0 ? [] : [`it clears at ${listOf(clears, unit)}`]),
  ];
  const inWords = lines.length === 0 ? '' : `; ${lines.join(', ')}`;
  const marks = [
    ...(thresholds.length === 0 ? [] : [`Dashed: the threshold, ${listOf(thresholds, unit)}.`]),
    ...(clears.length === 0 ? [] : [`Dotted: where it clears, ${listOf(clears, unit)}.`]),
  ];
  const all = size === values.length;
  const shown = all
    ? `The ${size} values of the window of ${metric}`
    : `The window of ${metric}, ${size} values shown as ${values.length}`;
  const newest = shortNumberText(values.at(-1)!);
  return {
    /** What the picture shows, for who does not see it. */
    alt:
      `Chart of ${metric}: ${size} values from ${shortNumberText(Math.min(...values))}${unit} ` +
      `to ${shortNumberText(Math.max(...values))}${unit}, the newest ${newest}${unit}${inWords}.`,
    /** How to read the picture. */
    caption: [`${shown}, the newest on the right.`, ...marks].join(' '),
    /** The values and what they were compared with, in words. */
    values: `${shown}, the newest last: ${values.map(shortNumberText).join(', ')}${inWords}.`,
  };
}

/** Returns a measured number for people: at most two decimals, of a number below 0.1 two digits. */
export function shortNumberText(value: number): string {
  const digits = Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2);
  return String(Number(digits));
}

/** Returns a number of a rule for people: at most four decimals, unless it is tiny or huge. */
export function numberText(value: number): string {
  const rounded = Number(value.toFixed(4));
  return String(rounded === 0 ? value : rounded);
}

function listOf(values: readonly number[], unit: string): string {
  return values.map((value) => `${numberText(value)}${unit}`).join(' and ');
}
