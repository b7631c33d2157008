import type { Metric, Operand } from '../rules/condition.js';
import type { Compared } from './comparisons.js';

// The sentences are part of the API ("Explain" in docs/policy-api.md). Clients and people compare them word by word.

const WORDS: Readonly<Record<Operand, string>> = {
  greater: 'greater than',
  less: 'less than',
  'greater equal': 'at least',
  'less equal': 'at most',
};

/** The sentence for a rule without a subscription. */
export const UNSUBSCRIBED = 'Not evaluated: no subscription of this server has this rule.';

/** A window that is not full. */
export interface Shortage {
  readonly metric: Metric;
  /** Number of values. */
  readonly holds: number;
  /** Number of values of a full window. */
  readonly size: number;
  /** The pause that emptied the window, ms; undefined if none did since it was full. */
  readonly pause: number | undefined;
}

/** Returns the sentence for a rule that was not evaluated, because a window is not full. */
export function shortageSentence({ metric, holds, size, pause }: Shortage): string {
  const why = pause === undefined ? '' : `, emptied by a pause of ${Math.round(pause / 1000)} s`;
  return `Not evaluated: the window of ${metric} holds ${holds} of ${size} values${why}.`;
}

/** Returns the sentence for a condition that was not evaluated yet, although the windows of its metrics are full. */
export function undecidedSentence(metrics: readonly Metric[]): string {
  return `Not evaluated: the windows are full, and the next measurement of ${metrics.join(' or ')} decides.`;
}

/** Returns the sentence for a condition that holds. `since` is in ms since the epoch. */
export function holdingSentence(since: number, comparisons: readonly Compared[]): string {
  return `Holds since ${timeText(since)}: ${joined(comparisons)}.`;
}

/** Returns the sentence for a condition that does not hold. It names the comparisons that do not. */
export function calmSentence(comparisons: readonly Compared[]): string {
  return `Does not hold: ${joined(comparisons.filter(({ holds }) => !holds))}.`;
}

/** Adds to a sentence that its subscription is suspended since then, ms since the epoch; undefined: it is not. */
export function withSuspension(suspended: number | undefined, sentence: string): string {
  return suspended === undefined
    ? sentence
    : `Suspended since ${timeText(suspended)}, its receiver refused. ${sentence}`;
}

function joined(comparisons: readonly Compared[]): string {
  return comparisons
    .map(({ metric, aggregate, result, operand, value, holds }) => {
      const not = holds ? '' : 'not ';
      return `the ${aggregate} of ${metric} is ${numberText(result)}, ${not}${WORDS[operand]} ${numberText(value)}`;
    })
    .join(', and ');
}

/** Returns a finite number with at most four decimals, without trailing zeros and without an exponent. */
export function numberText(value: number): string {
  // From 1e21 on, a number is whole, and its text has an exponent.
  return Math.abs(value) < 1e21 ? String(Number(value.toFixed(4))) : String(BigInt(value));
}

/** Returns a time as ISO 8601 in UTC, its fraction of a second cut off. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
