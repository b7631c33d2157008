import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition } from '../../../src/policy/rules/condition.js';
import { conditionKey, watchesText } from '../../../src/policy/watch/watch.js';
import type { Watches } from '../../../src/policy/watch/watch.js';

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
  it('equals JSON.stringify, also of a map that shares watches with another one', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9-]{1,24}$/);
    fc.assert(
      fc.property(fc.dictionary(id, watch), id, watch, (watches: Watches, changed, by) => {
        expect(watchesText(watches)).to.equal(JSON.stringify(watches));
        expect(watchesText(watches)).to.equal(JSON.stringify(watches));
        const next: Watches = { ...watches, [changed]: by };
        expect(watchesText(next)).to.equal(JSON.stringify(next));
      }),
    );
  });
});

describe('the key of a condition', () => {
  const keyOf = (condition: Condition): string => conditionKey(condition);

  it('is the same for equal conditions, their members in any order', () => {
    const one = keyOf({ cpu: { value: 85, operand: 'greater' }, mem: { value: 70, operand: 'less' } });
    expect(keyOf({ mem: { operand: 'less', value: 70 }, cpu: { operand: 'greater', value: 85.0 } })).to.equal(
      one,
    );
    expect(one).to.match(/^[\w-]{10}$/);
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
