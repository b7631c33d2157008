import { isoOf } from '../../system/iso.js';
import { lruCache } from '../../system/lru-cache.js';
import { type ConditionNode, nodeHolds } from '../rules/compiled.js';
import { type Operand, satisfies } from '../rules/condition.js';
import type { RuleOptions } from '../rules/rule.js';
import type { SubscriptionState } from './subscription-state.js';
import type { Mute, Subscription } from './subscription.js';
import type { Compared, EvaluatedCondition } from './evaluated-condition.js';

// The sentences are part of the API ("Explain" in docs/policy-api.md). Clients and people compare them word by word.

const WORDS: Readonly<Record<Operand, string>> = {
  greater: 'greater than',
  less: 'less than',
  'greater equal': 'at least',
  'less equal': 'at most',
};

/** The sentence for a rule without a subscription. */
export const UNSUBSCRIBED = 'Not evaluated: no subscription of this server has this rule.';

/**
 * Returns the sentence for what the last evaluation found. `since`: when the period began in which the condition holds, ms
 * since the epoch; undefined: it does not hold.
 */
export function evaluatedSentence(
  rule: Pick<RuleOptions, 'for'>,
  { state, since }: Pick<SubscriptionState, 'state' | 'since'>,
  evaluated: EvaluatedCondition,
): string {
  const { text } = phrase(evaluated.condition.root, evaluated, true);
  if (since === undefined) return `Does not hold: ${text}.`;
  // A pending subscription whose rule lost its `for` fires with the next measurement.
  const { for: seconds = 0 } = rule;
  const fires = state === 'pending' && seconds > 0 ? ` and fires when it has held for ${seconds} s` : '';
  return `Holds since ${timeText(since)}${fires}: ${text}.`;
}

/**
 * Returns the sentence for a lack of measurements. `last`: time of the last one, ms since the epoch; undefined: none ever came.
 * `from`: what that time counts as, if the clock was set back since.
 */
export function noDataSentence(last: number | undefined, now: number, from = last): string {
  if (last === undefined) return 'No data: no measurement ever came.';
  return `No data: the last measurement came at ${timeText(last)}, ${Math.round((now - from!) / 1000)} s ago.`;
}

/** Returns a sentence, with what keeps its subscription from sending in front of it. */
export function withSuppression(
  { suspended }: Pick<Subscription, 'suspended'>,
  mute: Mute | undefined,
  sentence: string,
): string {
  const by = mute?.quiet === undefined ? '' : ` by "${mute.quiet}"`;
  const muted = mute === undefined ? '' : `Muted${by} until ${timeText(mute.until)}. `;
  const refused =
    suspended === undefined ? '' : `Suspended since ${timeText(suspended)}, its receiver refused. `;
  return muted + refused + sentence;
}

/** A part of a sentence. `several`: it joins more than one. */
interface Part {
  readonly text: string;
  readonly several: boolean;
}

/**
 * Returns the comparisons that decide a condition: those that hold if the condition holds, otherwise those that do not.
 * `negates`: a comparison that does not hold is named with "not".
 */
function phrase(node: ConditionNode, evaluated: EvaluatedCondition, negates: boolean): Part {
  if (node.is === 'one') {
    return { text: comparisonPhrase(evaluated.comparisons[node.index]!, negates), several: false };
  }
  if (node.is === 'not')
    return { text: `not (${phrase(node.member, evaluated, false).text})`, several: false };
  const holds = nodeHolds(node, evaluated.mask);
  const named = node.members.filter((member) => nodeHolds(member, evaluated.mask) === holds);
  if (named.length === 1) return phrase(named[0]!, evaluated, negates);
  const parts = named.map((member) => phrase(member, evaluated, negates));
  const joint = node.is === 'any' ? ', or ' : ', and ';
  return {
    text: parts.map(({ text, several }) => (several ? `(${text})` : text)).join(joint),
    several: true,
  };
}

function comparisonPhrase(compared: Compared, negates: boolean): string {
  const { metric, aggregate, result, operand, value, clear, holds } = compared;
  const not = holds || !negates ? '' : 'not ';
  // Between `value` and `clear`, a comparison holds because it held before.
  const isByClear = holds && clear !== undefined && !satisfies(result, operand, value);
  const bound = isByClear ? `${numberText(clear)}, where it clears` : numberText(value);
  return `the ${aggregate} of ${metric} is ${numberText(result)}, ${not}${WORDS[operand]} ${bound}`;
}

/** Returns a finite number with at most four decimals, without trailing zeros and without an exponent. */
export function numberText(value: number): string {
  return Math.abs(value) < 1e21 ? String(Number(value.toFixed(4))) : largeText(value);
}

/** Texts of large numbers. One takes 8 µs, and many sentences of one measurement have the same. */
const LARGE = lruCache<string, number>(256);

/** Returns the text of a number from 1e21 on: it is whole, and `String` gives it an exponent. */
function largeText(value: number): string {
  let text = LARGE.get(value);
  if (text === undefined) LARGE.set(value, (text = String(BigInt(value))));
  return text;
}

/** Returns a time as ISO 8601 in UTC, its fraction of a second cut off. */
export function timeText(at: number): string {
  return isoOf(at).replace(/\.\d+Z$/, 'Z');
}
