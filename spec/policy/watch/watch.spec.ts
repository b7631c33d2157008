import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition } from '../../../src/policy/rules/condition.js';
import { compiled } from '../../../src/policy/rules/compiled.js';
import { keptText } from '../../../src/actors/kept-text.js';
import { storedWatch, type StoredWatch, type Watch, watchOf } from '../../../src/policy/watch/watch.js';

const watch = fc.record(
  {
    state: fc.constantFrom('filling', 'calm', 'firing'),
    since: fc.option(fc.nat(), { nil: undefined }),
    firings: fc.nat(),
    last: fc.option(fc.record({ at: fc.nat(), factId: fc.nat() }), { nil: undefined }),
    condition: fc.string(),
  },
  { requiredKeys: ['state', 'firings', 'condition'] },
);

describe('the text of watches', () => {
  const stored = fc.oneof(watch, fc.string(), fc.constant(null)) as fc.Arbitrary<StoredWatch>;
  it('equals JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(stored), (watches) => {
        expect(keptText(watches)).to.equal(JSON.stringify(watches));
        expect(keptText(watches)).to.equal(JSON.stringify(watches));
      }),
    );
  });

  it('is short for a calm subscription that never fired, and says the same', () => {
    fc.assert(
      fc.property(watch as fc.Arbitrary<Watch>, (one) => {
        const { state, since, firings, last, condition } = watchOf(storedWatch(one))!;
        const calm = one.state === 'calm' && one.firings === 0 && one.last === undefined;
        expect({ state, firings, last, condition }).to.deep.equal({
          state: one.state,
          firings: one.firings,
          last: one.last,
          condition: one.condition,
        });
        expect(since).to.equal(calm ? undefined : one.since);
        expect(typeof storedWatch(one)).to.equal(calm ? 'string' : 'object');
      }),
    );
    expect(watchOf(null)).to.equal(undefined);
    expect(watchOf(undefined)).to.equal(undefined);
  });
});

describe('the key of a condition', () => {
  const keyOf = (condition: Condition): string => compiled(condition).key;

  it('is the same for equal conditions, their members in any order', () => {
    const one = keyOf({ cpu: { value: 85, operand: 'greater' }, mem: { value: 70, operand: 'less' } });
    expect(keyOf({ mem: { operand: 'less', value: 70 }, cpu: { operand: 'greater', value: 85.0 } })).to.equal(
      one,
    );
    expect(one).to.match(/^[\w-]{6}$/);
  });

  it('is another one for another metric, operand or value', () => {
    const keys = [
      keyOf({ cpu: { value: 85, operand: 'greater' } }),
      keyOf({ cpu: { value: 85, operand: 'greater equal' } }),
      keyOf({ cpu: { value: 85.1, operand: 'greater' } }),
      keyOf({ mem: { value: 85, operand: 'greater' } }),
      keyOf({ mem: { value: 85, operand: 'greater' }, cpu: { value: 85, operand: 'greater' } }),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });
});
