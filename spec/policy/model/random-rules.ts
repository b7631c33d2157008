import fc from 'fast-check';
import type { PlainComparison, PlainCondition, PlainFact, PlainRule, RuleChange } from './story.js';

/** Setting `METRICS` of the services that play random stories. */
export const METRICS = 'temp:-50..150,queue';

/**
 * - `documented`: what the interface document has.
 * - `timeless`: what needs no seconds to pass.
 * - `evaluated`: what an evaluation decides.
 * - `any`: `noData` as well.
 */
export type Form = 'documented' | 'timeless' | 'evaluated' | 'any';

/** Generators of one form. */
export interface RandomRules {
  readonly rule: fc.Arbitrary<PlainRule>;
  readonly change: fc.Arbitrary<RuleChange>;
  readonly fact: fc.Arbitrary<PlainFact>;
}

// Tens have exact sums: no aggregate depends on the order of its additions. Few values meet thresholds more often.
const percent = fc.constantFrom(20, 50, 70, 80);
const value = fc.constantFrom(0, 20, 50, 60, 70, 75, 80, 100);
// The model compares conditions: one without a prototype differs from an equal one with a prototype.
const plainObject = { noNullPrototype: true };

/** Returns the generators of rules, changes of rules, and facts. */
export function randomRules(form: Form): RandomRules {
  const condition = form === 'documented' ? documented(form) : extended(form);
  const members = membersOf(form);
  const nullable = Object.entries(members).map(([name, member]) => [name, fc.option(member)] as const);
  return {
    rule: fc.record(
      { condition, ...members },
      { requiredKeys: ['condition'], ...plainObject },
    ) as fc.Arbitrary<PlainRule>,
    change: fc.record({ condition, ...Object.fromEntries(nullable) }, { requiredKeys: [], ...plainObject }),
    fact: fc.dictionary(metricOf(form), value, { minKeys: 1, maxKeys: 2, ...plainObject }),
  };
}

function membersOf(form: Form): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const resolve = fc.constantFrom(true, true, false);
  if (form === 'documented') return {};
  if (form === 'timeless') return { for: fc.constant(0), repeat: fc.constant(0), resolve };
  const evaluated = {
    for: fc.constantFrom(0, 5, 10, 30, 60),
    repeat: fc.constantFrom(0, 0, 10, 30),
    resolve,
  };
  return form === 'evaluated' ? evaluated : { ...evaluated, noData: fc.constantFrom(10, 15, 40, 120) };
}

function metricOf(form: Form): fc.Arbitrary<string> {
  const others = form === 'documented' ? [] : ['temp', 'queue'];
  return fc.constantFrom('cpu', 'cpu', 'cpu', 'cpu', 'mem', 'mem', 'hdd', 'net', ...others);
}

function documented(form: Form): fc.Arbitrary<PlainCondition> {
  return fc.dictionary(metricOf(form), comparisonOf(form), { minKeys: 1, maxKeys: 2, ...plainObject });
}

function extended(form: Form): fc.Arbitrary<PlainCondition> {
  const leaf = documented(form);
  const nested = fc.letrec<{ condition: PlainCondition }>((tie) => {
    const some = fc.array(tie('condition'), { minLength: 1, maxLength: 3 });
    return {
      condition: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.record({ any: some }, plainObject),
        fc.record({ all: some }, plainObject),
        fc.record({ not: tie('condition') }, plainObject),
      ),
    };
  }).condition;
  return fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: nested });
}

function comparisonOf(form: Form): fc.Arbitrary<PlainComparison> {
  const plain = {
    value: percent,
    operand: fc.constantFrom('greater', 'greater', 'less', 'greater equal', 'less equal'),
  } as const;
  if (form === 'documented') return fc.record(plain, plainObject);
  const more = {
    band: fc.constantFrom(0, 10, 30, 30),
    aggregate: fc.constantFrom('mean', 'mean', 'min', 'max', 'last', 'sum'),
  } as const;
  return fc
    .record({ ...plain, ...more }, { requiredKeys: ['value', 'operand'], ...plainObject })
    .map(({ band, ...comparison }) => {
      if (band === undefined) return comparison;
      const side = comparison.operand.startsWith('greater') ? -1 : 1;
      return { ...comparison, clear: comparison.value + side * band };
    });
}
