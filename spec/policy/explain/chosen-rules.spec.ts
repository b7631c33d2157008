import { expect } from 'chai';
import { chosenRules } from '../../../src/policy/explain/chosen-rules.js';
import { subscribedRulesOf } from '../../../src/policy/server/subscribed-rules.js';
import { compiled } from '../../../src/policy/rules/compiled.js';
import type { StoredState, StateName } from '../../../src/policy/state/subscription-state.js';
import { ruleOf, subscriptionOf, tenantView } from '../server/driven-server.js';

const rules = Array.from({ length: 8 }, (_, i) => ruleOf({ ruleId: `r${i}` }));
const storedIn = (state: StateName): StoredState => ({
  state,
  firings: 0,
  condition: compiled(rules[0]!.condition).key,
});

const ADDRESS = { kind: 'server', tenant: 'acme', name: 'web-1' };

/** Chooses of rules r0 to r7; `subscribed` has the state of each subscription by rule, null: never evaluated. */
function chosen(subscribed: readonly (readonly [string, StateName | null])[], most: number): string[] {
  const subscriptions = subscribed.map(([ruleId], i) => subscriptionOf({ id: `s${i}`, ruleId }));
  const states = subscribed.map(([, state]) => (state === null ? null : storedIn(state)));
  const of = subscribedRulesOf({ address: ADDRESS, subscriptions, rules }, tenantView());
  return chosenRules(rules, { states }, of, most).map(({ ruleId }) => ruleId);
}

describe('the rules of a server that are explained together', () => {
  it('are all rules if they are few', () => {
    expect(chosen([], 8)).to.deep.equal(rules.map(({ ruleId }) => ruleId));
  });

  it('are those that ask for attention, in their order', () => {
    const subscribed = [
      ['r1', 'calm'],
      ['r3', null],
      ['r4', 'noData'],
      ['r6', 'pending'],
      ['r7', 'firing'],
    ] as const;
    expect(chosen(subscribed, 1)).to.deep.equal(['r7']);
    expect(chosen(subscribed, 2)).to.deep.equal(['r6', 'r7']);
    expect(chosen(subscribed, 3)).to.deep.equal(['r4', 'r6', 'r7']);
    expect(chosen(subscribed, 5)).to.deep.equal(['r1', 'r3', 'r4', 'r6', 'r7']);
  });

  it('of a rule with several subscriptions count by the one that asks most', () => {
    expect(
      chosen(
        [
          ['r2', 'calm'],
          ['r5', 'pending'],
          ['r2', 'firing'],
        ],
        1,
      ),
    ).to.deep.equal(['r2']);
  });

  it('of rules without a subscription are the newest', () => {
    expect(chosen([['r0', 'calm']], 3)).to.deep.equal(['r0', 'r6', 'r7']);
  });
});
