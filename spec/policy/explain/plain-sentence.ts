import { aggregateOf, conditionHolds } from '../model/plain-condition.js';
import type { PlainComparison, PlainCondition } from '../model/story.js';

// The sentences of docs/policy-api.md, "Explain", written apart from the service.

/** A condition with what its comparisons found. */
export interface Found {
  readonly condition: PlainCondition;
  readonly windows: ReadonlyMap<string, readonly number[]>;
  /** The places of the comparisons that hold. */
  readonly holding: ReadonlySet<string>;
}

/** What a sentence names: the text of one comparison or `not`, or a group of several. */
type Named = string | { readonly joint: ', or ' | ', and '; readonly members: readonly Named[] };

const WORDS = {
  greater: 'greater than',
  less: 'less than',
  'greater equal': 'at least',
  'less equal': 'at most',
};

/** Returns the sentence for a condition that was evaluated. `since`: ms, `waits`: `for` while it is not over, s. */
export function plainSentence(found: Found, since: number, waits: number | undefined): string {
  const text = withoutBrackets(namedIn(found, found.condition, '', true));
  if (!conditionHolds(found.condition, found.holding)) return `Does not hold: ${text}.`;
  const time = `${new Date(since).toISOString().slice(0, 19)}Z`;
  const fires = waits === undefined ? '' : ` and fires when it has held for ${waits} s`;
  return `Holds since ${time}${fires}: ${text}.`;
}

/** Returns the metrics of a condition in the order in which sentences name them. */
export function metricsInOrder(condition: PlainCondition): string[] {
  if ('not' in condition) return metricsInOrder(condition.not as PlainCondition);
  const members = membersOf(condition);
  return members === undefined ? ordered(Object.keys(condition)) : members.flatMap(metricsInOrder);
}

/** `negates`: a comparison that does not hold is said with "not". */
function namedIn(found: Found, condition: PlainCondition, place: string, negates: boolean): Named {
  if ('not' in condition) {
    const inner = namedIn(found, condition.not as PlainCondition, `${place}not.`, false);
    return `not (${withoutBrackets(inner)})`;
  }
  const members = membersOf(condition);
  const isAny = members !== undefined && 'any' in condition;
  const all =
    members === undefined
      ? ordered(Object.keys(condition)).map((metric) => ({
          holds: found.holding.has(place + metric),
          name: () => comparisonNamed(found, condition, place, metric, negates),
        }))
      : members.map((member, i) => {
          const at = `${place}${isAny ? 'any' : 'all'}.${i}.`;
          return {
            holds: conditionHolds(member, found.holding, at),
            name: () => namedIn(found, member, at, negates),
          };
        });
  const holding = all.filter(({ holds }) => holds);
  const failing = all.filter(({ holds }) => !holds);
  // An any holds by those that hold, and an all fails by those that do not.
  const decide = isAny ? holding : failing;
  const names = (decide.length > 0 ? decide : all).map(({ name }) => name());
  return names.length === 1 ? names[0]! : { joint: isAny ? ', or ' : ', and ', members: names };
}

function comparisonNamed(
  { windows, holding }: Found,
  condition: PlainCondition,
  place: string,
  metric: string,
  negates: boolean,
): string {
  const comparison = (condition as Record<string, PlainComparison>)[metric]!;
  const { value, operand, clear, aggregate = 'mean' } = comparison;
  const result = aggregateOf(comparison, windows.get(metric)!);
  const isBeyond = operand.startsWith('greater') ? result >= value : result <= value;
  const isAtValue = result === value && !operand.endsWith('equal');
  const clears = holding.has(place + metric) && clear !== undefined && (!isBeyond || isAtValue);
  const not = holding.has(place + metric) || !negates ? '' : 'not ';
  const bound = clears ? `${number(clear)}, where it clears` : number(value);
  return `the ${aggregate} of ${metric} is ${number(result)}, ${not}${WORDS[operand]} ${bound}`;
}

function withoutBrackets(named: Named): string {
  if (typeof named === 'string') return named;
  return named.members
    .map((member) => (typeof member === 'string' ? member : `(${withoutBrackets(member)})`))
    .join(named.joint);
}

function membersOf(condition: PlainCondition): readonly PlainCondition[] | undefined {
  const { any, all } = condition as { readonly any?: PlainCondition[]; readonly all?: PlainCondition[] };
  return any ?? all;
}

function ordered(metrics: readonly string[]): string[] {
  const documented = ['cpu', 'mem', 'hdd', 'net'];
  return [
    ...documented.filter((metric) => metrics.includes(metric)),
    ...metrics.filter((metric) => !documented.includes(metric)).toSorted(),
  ];
}

/** A number with at most four decimals and no zeros at its end. */
function number(value: number): string {
  return value.toFixed(4).replace(/\.?0+$/, '');
}
