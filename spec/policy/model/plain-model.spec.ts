import { expect } from 'chai';
import { plainModel } from './plain-model.js';
import type { PlainCondition, PlainFact, PlainRule, Step } from './story.js';

const HIGH: PlainCondition = { cpu: { value: 85, operand: 'greater' } };

type Untimed = Step extends infer S ? (S extends Step ? Omit<S, 'at'> : never) : never;
type TimedSteps = Readonly<Record<number, Untimed | PlainFact>>;

/**
 * Plays steps by their seconds, with windows of one value and gaps of 100 s, for a subscription made at 0. Returns the
 * messages as text: second, state, and the second since when.
 */
function notified(rule: PlainRule, steps: TimedSteps, windowsize = 1): string[] {
  const timed = Object.entries(steps).map(([second, step]): Step => {
    const at = Number(second) * 1_000;
    return 'do' in step ? ({ at, ...step } as Step) : { at, do: 'facts', facts: [step] };
  });
  const first: Step = { at: 0, do: 'subscribe', subscription: 's', rule: 'r' };
  const story = { rules: { r: rule }, generic: [], windowsize, gapS: 100, steps: [first, ...timed] };
  const { messages } = plainModel(story);
  return messages.map(({ at, state, since }) => {
    return `${at / 1_000} ${state} ${since === null ? 'never' : since / 1_000}`;
  });
}

const cpu = (value: number): PlainFact => ({ cpu: value });
const until = (second: number): Untimed => ({ do: 'mute', subscription: 's', until: second * 1_000 });

describe('the plain model', () => {
  it('fires with every evaluation that holds, of full windows', () => {
    const facts = { 1: cpu(90), 2: { mem: 99 }, 3: cpu(90), 4: cpu(81), 5: cpu(79), 6: cpu(100) };
    expect(notified({ condition: HIGH }, facts, 2)).to.deep.equal(['3 firing 3', '4 firing 3', '6 firing 6']);
  });

  it('holds until the aggregate no longer satisfies the operand against clear', () => {
    const rule: PlainRule = {
      condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
      resolve: true,
    };
    expect(notified(rule, { 1: cpu(80), 2: cpu(86), 3: cpu(71), 4: cpu(70), 5: cpu(80) })).to.deep.equal([
      '2 firing 2',
      '3 firing 2',
      '4 resolved 2',
    ]);
  });

  it('forgets clear with a pause, and goes on with the period', () => {
    const rule: PlainRule = {
      condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
      resolve: true,
    };
    expect(notified(rule, { 1: cpu(90), 102: cpu(80) })).to.deep.equal(['1 firing 1', '102 resolved 1']);
    expect(notified(rule, { 1: cpu(90), 102: cpu(90) })).to.deep.equal(['1 firing 1', '102 firing 1']);
    expect(notified(rule, { 1: cpu(90), 101: cpu(80) })).to.deep.equal(['1 firing 1', '101 firing 1']);
  });

  it('joins comparisons by any, all and not, and makes each of them', () => {
    const mem = { mem: { value: 50, operand: 'greater', clear: 20 } } as const;
    const any: PlainRule = { condition: { any: [HIGH, mem] } };
    const both = { 1: { cpu: 90, mem: 60 }, 2: { cpu: 10, mem: 30 }, 3: { cpu: 10, mem: 20 } };
    expect(notified(any, both)).to.deep.equal(['1 firing 1', '2 firing 1']);
    expect(notified({ condition: { not: { all: [HIGH, mem] } } }, both)).to.deep.equal([
      '2 firing 2',
      '3 firing 2',
    ]);
  });

  it('compares the aggregate that is named', () => {
    const rule = (aggregate: 'min' | 'max' | 'last' | 'sum' | 'mean', value: number): PlainRule => ({
      condition: { cpu: { value, operand: 'greater equal', aggregate } },
    });
    const facts = { 1: cpu(30), 2: cpu(10), 3: cpu(20) };
    const results = { min: 10, max: 30, last: 20, sum: 60, mean: 20 } as const;
    for (const [aggregate, result] of Object.entries(results)) {
      const name = aggregate as keyof typeof results;
      expect(notified(rule(name, result), facts, 3), aggregate).to.deep.equal(['3 firing 3']);
      expect(notified(rule(name, result + 0.5), facts, 3), aggregate).to.deep.equal([]);
    }
  });

  it('waits for `for`, and repeats as `repeat` says', () => {
    const high = { 10: cpu(90), 15: cpu(90), 20: cpu(90), 25: cpu(90), 30: cpu(90), 35: cpu(1), 40: cpu(90) };
    expect(notified({ condition: HIGH, for: 10 }, high)).to.deep.equal([
      '20 firing 10',
      '25 firing 10',
      '30 firing 10',
    ]);
    expect(notified({ condition: HIGH, for: 5, repeat: 0 }, high)).to.deep.equal(['15 firing 10']);
    expect(notified({ condition: HIGH, repeat: 10 }, high)).to.deep.equal([
      '10 firing 10',
      '20 firing 10',
      '30 firing 10',
      '40 firing 40',
    ]);
  });

  it('notifies of resolved only of what was sent', () => {
    const rule: PlainRule = { condition: HIGH, resolve: true, repeat: 0 };
    expect(notified(rule, { 1: cpu(90), 2: cpu(1), 3: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '2 resolved 1',
    ]);
    expect(notified(rule, { 1: until(4), 2: cpu(90), 3: cpu(1), 4: cpu(1) })).to.deep.equal([]);
    const unmuted = { 1: until(9), 2: { do: 'unmute', subscription: 's' } as const, 3: cpu(90) };
    expect(notified(rule, unmuted)).to.deep.equal(['3 firing 3']);
  });

  it('fires after a mute of what began in it, with the true since', () => {
    const rule: PlainRule = { condition: HIGH, resolve: true, repeat: 0 };
    expect(notified(rule, { 1: until(3), 2: cpu(90), 3: cpu(90), 4: cpu(90), 5: cpu(1) })).to.deep.equal([
      '3 firing 2',
      '5 resolved 2',
    ]);
    const waits: PlainRule = { ...rule, for: 5 };
    expect(notified(waits, { 1: until(6), 2: cpu(90), 6: cpu(90), 7: cpu(90) })).to.deep.equal([
      '7 firing 2',
    ]);
    expect(notified(waits, { 1: until(8), 2: cpu(90), 7: cpu(90), 9: cpu(90) })).to.deep.equal([
      '9 firing 2',
    ]);
  });

  it('owes a resolved that a mute kept back, until it holds again', () => {
    const rule: PlainRule = { condition: HIGH, resolve: true, repeat: 0 };
    expect(notified(rule, { 1: cpu(90), 2: until(4), 3: cpu(1), 5: cpu(1), 6: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '5 resolved 1',
    ]);
    expect(notified(rule, { 1: cpu(90), 2: until(4), 3: cpu(1), 5: cpu(90), 6: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '6 resolved 1',
    ]);
    const repeats: PlainRule = { condition: HIGH, resolve: true, repeat: 10 };
    expect(
      notified(repeats, { 1: cpu(90), 2: until(5), 3: cpu(1), 4: cpu(90), 6: cpu(90), 11: cpu(90) }),
    ).to.deep.equal(['1 firing 1', '11 firing 1']);
    const unresolved: PlainRule = { condition: HIGH, repeat: 0 };
    expect(
      notified(unresolved, { 1: cpu(90), 2: until(5), 3: cpu(1), 4: cpu(90), 6: cpu(90) }),
    ).to.deep.equal(['1 firing 1', '6 firing 4']);
  });

  it('takes the message whose refusal suspends for one that was not sent', () => {
    const rule: PlainRule = { condition: HIGH, resolve: true, repeat: 0, noData: 20 };
    const refused = (fact: number | null, since: number | null = null): Untimed => ({
      do: 'refused',
      subscription: 's',
      fact,
      since: since === null ? null : since * 1_000,
    });
    const resume: Untimed = { do: 'resume', subscription: 's' };
    expect(
      notified(rule, { 1: cpu(90), 2: refused(1), 3: cpu(90), 4: resume, 5: cpu(90), 6: cpu(1) }),
    ).to.deep.equal(['1 firing 1', '5 firing 1', '6 resolved 1']);
    expect(notified(rule, { 1: cpu(90), 2: cpu(1), 3: refused(2), 4: resume, 5: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '2 resolved 1',
      '5 resolved 1',
    ]);
    expect(notified(rule, { 1: cpu(1), 22: refused(null, 1), 25: resume, 60: { do: 'wait' } })).to.deep.equal(
      ['21 noData 1', '25 noData 1'],
    );
  });

  it('notifies of noData at the end of the mute, if no data come until then', () => {
    const rule: PlainRule = { condition: HIGH, noData: 10 };
    expect(notified(rule, { 1: cpu(1), 2: until(20), 30: { do: 'wait' } })).to.deep.equal(['20 noData 1']);
    expect(notified(rule, { 1: cpu(1), 2: until(20), 15: cpu(1), 22: { do: 'wait' } })).to.deep.equal([]);
    expect(
      notified(rule, {
        1: cpu(1),
        2: until(40),
        15: { do: 'unmute', subscription: 's' },
        30: { do: 'wait' },
      }),
    ).to.deep.equal(['15 noData 1']);
  });

  it('notifies of noData once, when it is due, and again after facts', () => {
    const rule: PlainRule = { condition: HIGH, noData: 10 };
    const steps = { 5: cpu(1), 12: { mem: 1 }, 15: cpu(1), 40: cpu(1), 60: { do: 'wait' } as const };
    expect(notified(rule, steps)).to.deep.equal(['15 noData 5', '25 noData 15', '50 noData 40']);
    expect(notified(rule, { 30: { do: 'wait' } })).to.deep.equal(['10 noData never']);
    expect(
      notified({ condition: { temp: { value: 1, operand: 'less' } }, noData: 10 }, { 12: { temp: 0 } }),
    ).to.deep.equal(['10 noData never', '12 firing 12']);
  });

  it('notifies of noData at once when it is set late', () => {
    const set = { do: 'change', rule: 'r', to: { noData: 10 } } as const;
    expect(notified({ condition: HIGH }, { 5: cpu(1), 30: set })).to.deep.equal(['30 noData 5']);
  });

  it('starts anew with another condition, and with no other change', () => {
    const rule: PlainRule = { condition: HIGH, repeat: 0, resolve: true };
    const change = (to: PlainRule['condition']): Untimed => ({
      do: 'change',
      rule: 'r',
      to: { condition: to },
    });
    const lower: PlainCondition = { cpu: { value: 80, operand: 'greater' } };
    expect(notified(rule, { 1: cpu(90), 2: change(lower), 3: cpu(90), 4: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '3 firing 3',
      '4 resolved 3',
    ]);
    expect(notified(rule, { 1: cpu(90), 2: change(lower), 3: cpu(1) })).to.deep.equal(['1 firing 1']);
    expect(notified(rule, { 1: cpu(90), 2: change({ ...HIGH }), 3: cpu(90), 4: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '4 resolved 1',
    ]);
    const less = { do: 'change', rule: 'r', to: { repeat: null, resolve: null } } as const;
    expect(notified(rule, { 1: cpu(90), 2: less, 3: cpu(90), 4: cpu(1) })).to.deep.equal([
      '1 firing 1',
      '3 firing 1',
    ]);
  });

  it('keeps the newest values when the windows shrink, and waits when they grow', () => {
    const size = (windowsize: number): Untimed => ({ do: 'resize', windowsize });
    const shrunk = { 1: cpu(0), 2: cpu(80), 3: cpu(90), 4: size(2), 5: cpu(90) };
    expect(notified({ condition: HIGH }, shrunk, 3)).to.deep.equal(['5 firing 5']);
    const grown = { 1: cpu(90), 2: size(2), 3: cpu(90) };
    expect(notified({ condition: HIGH, repeat: 0 }, grown)).to.deep.equal(['1 firing 1']);
  });

  it('keeps the window of another metric while a subscription needs it', () => {
    const temp: PlainCondition = { temp: { value: 0, operand: 'greater' } };
    const away = { do: 'change', rule: 'r', to: { condition: HIGH } } as const;
    const back = { do: 'change', rule: 'r', to: { condition: temp } } as const;
    const facts = { 1: { temp: 1 }, 2: { temp: 1 }, 3: away, 4: back, 5: { temp: 1 }, 6: { temp: 1 } };
    expect(notified({ condition: temp }, facts, 2)).to.deep.equal(['2 firing 2', '6 firing 6']);
  });
});
