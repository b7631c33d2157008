import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition } from '../../../src/policy/rules/condition.js';
import { compiled } from '../../../src/policy/rules/compiled.js';
import { keptText } from '../../../src/actors/behavior.js';
import {
  storedState,
  type StoredState,
  type SubscriptionState,
  stateFrom,
} from '../../../src/policy/state/subscription-state.js';

const anyState = fc.record(
  {
    state: fc.constantFrom('filling', 'calm', 'firing'),
    since: fc.option(fc.nat(), { nil: undefined }),
    firings: fc.nat(),
    last: fc.option(fc.record({ at: fc.nat(), factId: fc.nat() }), { nil: undefined }),
    condition: fc.string(),
  },
  { requiredKeys: ['state', 'firings', 'condition'] },
);

describe('the text of states', () => {
  const stored = fc.oneof(anyState, fc.string(), fc.constant(null)) as fc.Arbitrary<StoredState>;
  it('equals JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(stored), (states) => {
        expect(keptText(states)).to.equal(JSON.stringify(states));
        expect(keptText(states)).to.equal(JSON.stringify(states));
      }),
    );
  });

  it('is short for a calm subscription that never fired, and says the same', () => {
    fc.assert(
      fc.property(anyState as fc.Arbitrary<SubscriptionState>, (one) => {
        const { state, since, firings, last, condition } = stateFrom(storedState(one))!;
        const calm = one.state === 'calm' && one.firings === 0 && one.last === undefined;
        expect({ state, firings, last, condition }).to.deep.equal({
          state: one.state,
          firings: one.firings,
          last: one.last,
          condition: one.condition,
        });
        expect(since).to.equal(calm ? undefined : one.since);
        expect(typeof storedState(one)).to.equal(calm ? 'string' : 'object');
      }),
    );
    expect(stateFrom(null)).to.equal(undefined);
    expect(stateFrom(undefined)).to.equal(undefined);
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
