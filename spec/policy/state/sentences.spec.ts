import { expect } from 'chai';
import fc from 'fast-check';
import { compare, compiled } from '../../../src/policy/rules/compiled.js';
import type { Condition } from '../../../src/policy/rules/condition.js';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import {
  evaluatedCondition,
  type EvaluatedCondition,
} from '../../../src/policy/state/evaluated-condition.js';
import {
  evaluatedSentence,
  numberText,
  timeText,
  withSuppression,
} from '../../../src/policy/state/sentences.js';
import { fillingSentence } from '../../../src/policy/windows/results.js';

function comparedIn(condition: Condition, results: Measures, before = 0): EvaluatedCondition {
  const made = compiled(condition);
  const resultOf = ({ metric }: { readonly metric: string }) => results[metric]!;
  return evaluatedCondition(made, resultOf, compare(made, resultOf, before));
}

const calmSentence = (evaluated: EvaluatedCondition): string =>
  evaluatedSentence({}, { state: 'calm', since: undefined }, evaluated);
const holdingSentence = (since: number, evaluated: EvaluatedCondition): string =>
  evaluatedSentence({}, { state: 'firing', since }, evaluated);
/** Of a window of cpu that holds so many values. `pause`: the one that emptied it, ms. */
const shortageSentence = (holds: number, size: number, pause?: number): string => {
  const emptied = pause === undefined ? {} : { emptied: { at: SINCE, pause } };
  const cpu = { values: Array.from({ length: holds }, () => 1), at: SINCE, ...emptied };
  return fillingSentence(compiled({ cpu: BOTH.cpu }), { windows: { tracked: { cpu } }, size });
};
const undecidedSentence = (condition: Condition): string =>
  fillingSentence(compiled(condition), { windows: { tracked: {} }, size: 0 });

const SINCE = Date.UTC(2026, 10, 21, 10, 0, 0, 999);
const BOTH = {
  mem: { value: 70, operand: 'greater equal' },
  cpu: { value: 85, operand: 'greater' },
} as const;

describe('the sentence of a rule', () => {
  it('says how many values a window holds', () => {
    expect(shortageSentence(3, 5)).to.equal('Not evaluated: the window of cpu holds 3 of 5 values.');
  });

  it('says that a pause emptied a window, in whole seconds, rounded', () => {
    const say = (pause: number) => shortageSentence(1, 5, pause);
    expect(say(412_000)).to.equal(
      'Not evaluated: the window of cpu holds 1 of 5 values, emptied by a pause of 412 s.',
    );
    expect(say(411_499)).to.include('a pause of 411 s.');
    expect(say(411_500)).to.include('a pause of 412 s.');
  });

  it('says which measurement decides if the windows are full', () => {
    expect(undecidedSentence({ cpu: BOTH.cpu })).to.equal(
      'Not evaluated: the windows are full, and the next measurement of cpu decides.',
    );
    expect(undecidedSentence(BOTH)).to.equal(
      'Not evaluated: the windows are full, and the next measurement of cpu or mem decides.',
    );
  });

  it('names `for` while the rule has it', () => {
    const pending = { state: 'pending', since: SINCE } as const;
    const holds = comparedIn(BOTH, { cpu: 91.4, mem: 75 });
    expect(evaluatedSentence({ for: 60 }, pending, holds)).to.match(
      /^Holds since 2026-11-21T10:00:00Z and fires when it has held for 60 s: the mean of cpu /,
    );
    for (const rule of [{}, { for: 0 }]) {
      expect(evaluatedSentence(rule, pending, holds)).to.equal(holdingSentence(SINCE, holds));
    }
  });

  it('names every comparison of a condition that holds, in the order of the metrics', () => {
    expect(holdingSentence(SINCE, comparedIn(BOTH, { cpu: 91.4, mem: 75 }))).to.equal(
      'Holds since 2026-11-21T10:00:00Z: the mean of cpu is 91.4, greater than 85, ' +
        'and the mean of mem is 75, at least 70.',
    );
  });

  it('names the comparisons that do not hold', () => {
    expect(calmSentence(comparedIn(BOTH, { cpu: 71.2, mem: 75 }))).to.equal(
      'Does not hold: the mean of cpu is 71.2, not greater than 85.',
    );
    expect(calmSentence(comparedIn(BOTH, { cpu: 71.2, mem: 60 }))).to.equal(
      'Does not hold: the mean of cpu is 71.2, not greater than 85, and the mean of mem is 60, not at least 70.',
    );
  });

  it('has words for each operand', () => {
    const say = (operand: 'less' | 'less equal' | 'greater equal') =>
      holdingSentence(SINCE, comparedIn({ net: { value: 5, operand } }, { net: 5 }))
        .split(', ')
        .at(-1);
    expect(say('less')).to.equal('not less than 5.');
    expect(say('less equal')).to.equal('at most 5.');
    expect(say('greater equal')).to.equal('at least 5.');
  });

  it('begins with the suspension of its subscription', () => {
    expect(withSuppression({ suspended: SINCE }, undefined, 'Does not hold: x.')).to.equal(
      'Suspended since 2026-11-21T10:00:00Z, its receiver refused. Does not hold: x.',
    );
    expect(withSuppression({}, undefined, 'Does not hold: x.')).to.equal('Does not hold: x.');
  });

  it('begins with the mute of its subscription, and with the quiet time that causes it', () => {
    const mute = { until: SINCE, quiet: undefined };
    expect(withSuppression({}, mute, 'x.')).to.equal('Muted until 2026-11-21T10:00:00Z. x.');
    expect(withSuppression({}, { ...mute, quiet: 'nights' }, 'x.')).to.equal(
      'Muted by "nights" until 2026-11-21T10:00:00Z. x.',
    );
  });

  it('has numbers with at most four decimals, without trailing zeros', () => {
    expect([91.4, 75, 85.12345, 33.333333333, 1e-7, 0.00005, -0, 1e21, 1.5].map(numberText)).to.deep.equal([
      '91.4',
      '75',
      '85.1235',
      '33.3333',
      '0',
      '0.0001',
      '0',
      '1000000000000000000000',
      '1.5',
    ]);
  });

  it('has no number with an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(numberText(value)).to.match(/^-?\d+(\.\d{0,3}[1-9])?$/);
        expect(Math.abs(Number(numberText(value)) - value)).to.be.at.most(
          Math.max(0.00005, Math.abs(value) * Number.EPSILON),
        );
      }),
    );
  });

  it('cuts fractions of seconds off', () => {
    expect(timeText(SINCE)).to.equal('2026-11-21T10:00:00Z');
  });
});
