/** Values of measurements for which a condition holds. */
import { type Comparison, type Condition, formOf } from '../../../src/policy/rules/condition.js';
import { isOfDocument } from '../../../src/policy/rules/metrics.js';
import type { ConditionView } from '../../../src/policy/rules/shapes.js';
import { checkedCondition } from '../pages/rules/condition-text.js';

/** Numbers from `min` to `max`, both included. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** A requirement of measurements: a range of one metric, or one or all of other requirements. */
type Requirement =
  | { readonly is: 'any' | 'all'; readonly members: readonly Requirement[] }
  | { readonly is: 'one'; readonly metric: string; readonly range: Range };

type Ranges = Readonly<Record<string, Range>>;

const PERCENT: Range = { min: 0, max: 100 };
const ANY: Range = { min: -Infinity, max: Infinity };

/** Maximum number of requirements that are tried: a condition may have very many ways to hold. */
const MAX_TRIED = 5_000;

/**
 * Returns a value of each metric, for which a condition holds when windows of `size` values are full of it; undefined if
 * none was found.
 */
export function samplesOf(
  condition: ConditionView,
  size: number,
): Readonly<Record<string, number>> | undefined {
  let tried = 0;
  const fulfilled = (requirements: readonly Requirement[], ranges: Ranges): Ranges | undefined => {
    const [requirement, ...rest] = requirements;
    if (requirement === undefined) return ranges;
    tried += 1;
    if (tried > MAX_TRIED) return undefined;
    if (requirement.is === 'one') {
      const { metric } = requirement;
      const before = ranges[metric] ?? (isOfDocument(metric) ? PERCENT : ANY);
      const range = common(before, requirement.range);
      return range && fulfilled(rest, { ...ranges, [metric]: range });
    }
    if (requirement.is === 'all') return fulfilled([...requirement.members, ...rest], ranges);
    for (const one of requirement.members) {
      const found = fulfilled([one, ...rest], ranges);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const ranges = fulfilled([requirementOf(checkedCondition(condition), true, size)], {});
  return (
    ranges && Object.fromEntries(Object.entries(ranges).map(([metric, range]) => [metric, inside(range)]))
  );
}

/** Returns what measurements must fulfil so that a condition holds, or does not hold. */
function requirementOf(condition: Condition, holds: boolean, size: number): Requirement {
  const form = formOf(condition);
  const joined = (isAny: boolean, members: readonly Requirement[]): Requirement => ({
    is: isAny === holds ? 'any' : 'all',
    members,
  });
  if (form.is === 'not') return requirementOf(form.member, !holds, size);
  if (form.is !== 'comparisons') {
    return joined(
      form.is === 'any',
      form.members.map((member) => requirementOf(member, holds, size)),
    );
  }
  return joined(
    false,
    form.comparisons.map(([metric, comparison]) => ({
      is: 'one',
      metric,
      range: rangeOf(comparison, holds, size),
    })),
  );
}

/** Returns the values of which a window of `size` equal ones makes the comparison hold, or not hold. */
function rangeOf({ operand, value, aggregate }: Comparison, holds: boolean, size: number): Range {
  const bound = aggregate === 'sum' ? value / size : value;
  const isAbove = operand.startsWith('greater') === holds;
  const isOpen = operand.endsWith('equal') !== holds;
  const step = isOpen ? Math.max(Math.abs(bound) * Number.EPSILON, Number.MIN_VALUE) : 0;
  return isAbove ? { ...ANY, min: bound + step } : { ...ANY, max: bound - step };
}

/** Returns what two ranges have in common; undefined if that is nothing. */
function common(a: Range, b: Range): Range | undefined {
  const range = { min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) };
  return range.min <= range.max ? range : undefined;
}

/** Returns a number of a range, away from its ends if it can be, with few decimals. */
function inside({ min, max }: Range): number {
  const step = (from: number): number => Math.max(1, Math.abs(from) / 10);
  const middle = Number.isFinite(max - min)
    ? min + (max - min) / 2
    : Number.isFinite(min)
      ? min + step(min)
      : max - step(max);
  const rounded = Math.round(middle * 100) / 100;
  return rounded > min && rounded < max ? rounded : middle;
}
