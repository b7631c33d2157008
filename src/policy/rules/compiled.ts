import { hash } from 'node:crypto';
import { lruCache } from '../../system/lru-cache.js';
import { type Aggregate, type Condition, formOf, type Operand, satisfies } from './condition.js';
import { isOfDocument, type Metric } from './metrics.js';

/** A condition in the form in which it is evaluated and explained. */
export interface CompiledCondition {
  /** The metrics that it names, each once, in the order of the comparisons. */
  readonly metrics: readonly Metric[];
  /** Those of `metrics` that are not of the document. */
  readonly customMetrics: readonly Metric[];
  /** In the order in which they are written, those of one object in the order of metrics. At most 32. */
  readonly comparisons: readonly CompiledComparison[];
  readonly root: ConditionNode;
  /** The bits of the comparisons that have `clear`. */
  readonly clearMask: number;
  /** The bits of all comparisons if all must hold; undefined for any other condition. */
  readonly conjunction: number | undefined;
  /** A short text that equal conditions share, whatever the order of the members of their objects. */
  readonly key: string;
}

/** A comparison with its defaults. Its bit in a `ComparisonMask` is `1 << index`. */
export interface CompiledComparison {
  readonly index: number;
  readonly metric: Metric;
  readonly aggregate: Aggregate;
  readonly operand: Operand;
  readonly value: number;
  readonly clear: number | undefined;
}

/** A part of a condition. `all` stands for the comparisons of one object, too. */
export type ConditionNode =
  | { readonly is: 'one'; readonly index: number }
  | { readonly is: 'any' | 'all'; readonly members: readonly ConditionNode[] }
  | { readonly is: 'not'; readonly member: ConditionNode };

/** The comparisons that hold: bit i (of 32, unsigned) is set if the comparison with that index holds. */
export type ComparisonMask = number;

/** Characters of a key, 6 bits each: enough to tell apart the conditions that one rule has had. */
const KEY_LENGTH = 6;
/** By JSON text: rules of many servers often have the same condition. */
const known = lruCache<CompiledCondition>(1_000);

/** Compiles a valid condition, in most cases once for all conditions of the same text. */
export function compiled(condition: Condition): CompiledCondition {
  const text = JSON.stringify(condition);
  let result = known.get(text);
  if (result === undefined) known.set(text, (result = compile(condition)));
  return result;
}

/**
 * Makes every comparison. `resultOf` returns the number to compare. `before`: the mask of the last evaluation, for the
 * comparisons with `clear`.
 */
export function compare(
  { comparisons }: CompiledCondition,
  resultOf: (comparison: CompiledComparison) => number,
  before: ComparisonMask,
): ComparisonMask {
  let mask = 0;
  for (let i = 0; i < comparisons.length; i += 1) {
    const comparison = comparisons[i]!;
    const { operand, value, clear } = comparison;
    const result = resultOf(comparison);
    const stays = clear !== undefined && (before & (1 << i)) !== 0 && satisfies(result, operand, clear);
    if (stays || satisfies(result, operand, value)) mask |= 1 << i;
  }
  return mask >>> 0;
}

/** True if the condition holds, given the comparisons that hold. */
export function conditionHolds({ conjunction, root }: CompiledCondition, mask: ComparisonMask): boolean {
  return conjunction === undefined ? nodeHolds(root, mask) : mask === conjunction;
}

/** True if a part of a condition holds, given the comparisons that hold. */
export function nodeHolds(node: ConditionNode, mask: ComparisonMask): boolean {
  if (node.is === 'one') return (mask & (1 << node.index)) !== 0;
  if (node.is === 'not') return !nodeHolds(node.member, mask);
  return node.is === 'any'
    ? node.members.some((member) => nodeHolds(member, mask))
    : node.members.every((member) => nodeHolds(member, mask));
}

/** Returns the bits of the comparisons with `clear` that name one of these metrics. */
export function clearMaskOf(
  { comparisons }: CompiledCondition,
  metrics: ReadonlySet<Metric>,
): ComparisonMask {
  let bits = 0;
  for (const { index, metric, clear } of comparisons) {
    if (clear !== undefined && metrics.has(metric)) bits |= 1 << index;
  }
  return bits >>> 0;
}

function compile(condition: Condition): CompiledCondition {
  const comparisons: CompiledComparison[] = [];
  const root = nodeOf(condition, comparisons);
  const metrics = [...new Set(comparisons.map(({ metric }) => metric))];
  const bits = (some: readonly CompiledComparison[]): ComparisonMask =>
    some.reduce((sum, { index }) => (sum | (1 << index)) >>> 0, 0);
  const isConjunction =
    root.is === 'one' || (root.is === 'all' && root.members.every((member) => member.is === 'one'));
  return {
    metrics,
    customMetrics: metrics.filter((metric) => !isOfDocument(metric)),
    comparisons,
    root,
    clearMask: bits(comparisons.filter(({ clear }) => clear !== undefined)),
    conjunction: isConjunction ? bits(comparisons) : undefined,
    key: keyOf(condition),
  };
}

function nodeOf(condition: Condition, comparisons: CompiledComparison[]): ConditionNode {
  const form = formOf(condition);
  if (form.is === 'not') return { is: 'not', member: nodeOf(form.member, comparisons) };
  if (form.is !== 'comparisons') {
    return { is: form.is, members: form.members.map((member) => nodeOf(member, comparisons)) };
  }
  const members = form.comparisons.map(([metric, { aggregate = 'mean', operand, value, clear }]) => {
    const index = comparisons.length;
    comparisons.push({ index, metric, aggregate, operand, value, clear });
    return { is: 'one', index } as const;
  });
  return members.length === 1 ? members[0]! : { is: 'all', members };
}

function keyOf(condition: Condition): string {
  return hash('sha256', JSON.stringify(canonical(condition)), 'base64url').slice(0, KEY_LENGTH);
}

/** Returns the form that a key is made of. `aggregate` and `clear` are in it only where they are used. */
function canonical(condition: Condition): unknown {
  const form = formOf(condition);
  if (form.is === 'not') return { not: canonical(form.member) };
  if (form.is !== 'comparisons') return { [form.is]: form.members.map(canonical) };
  return form.comparisons.map(([metric, { operand, value, clear, aggregate = 'mean' }]) => {
    const rest = clear === undefined && aggregate === 'mean' ? [] : [aggregate, clear ?? null];
    return [metric, operand, value, ...rest];
  });
}
