import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition } from '../../../src/policy/rules/condition.js';
import type { RecordEffect } from '../../../src/policy/server/server-context.js';
import { transitionsOf } from '../../../src/policy/state/stored-transitions.js';
import { type DrivenServer, driveServer, NOON, ruleOf, tenantView } from './driven-server.js';

const SIZE = 65;
const TENANT = tenantView(SIZE);
const CONDITIONS: readonly Condition[] = [
  { cpu: { value: 52, operand: 'greater', clear: 51 } },
  {
    all: [
      { mem: { value: 1, operand: 'less', aggregate: 'min' } },
      { mem: { value: 99, operand: 'greater', aggregate: 'max' } },
      {
        cpu: { value: 3_300, operand: 'greater', aggregate: 'sum' },
        net: { value: 50, operand: 'less', aggregate: 'last' },
      },
    ],
  },
];

/** A server whose rules fire e-mails, at each firing. */
function server(): DrivenServer {
  const driven = driveServer({ mailIntervalMs: 0, outboxLimit: 10_000 });
  for (const [i, condition] of CONDITIONS.entries()) {
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' } as const;
    driven.addRule(ruleOf({ ruleId: `r${i}`, condition, action }));
    driven.subscribe(
      { id: `s${i}`, ruleId: `r${i}`, url: 'https://example.org/', at: NOON },
      { tenant: TENANT },
    );
  }
  return driven;
}

const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);
const element = fc.record({ cpu: percent, mem: percent, net: percent }, { requiredKeys: ['cpu'] });

/** What a server has done: its messages, its changes of state with their sentences, and what it keeps. */
function outcomeOf(driven: DrivenServer): unknown {
  const { windows, states, factId, outbox } = driven.context;
  const records = outbox.filter((entry): entry is RecordEffect => entry.type === 'record');
  return {
    windows,
    states,
    factId,
    messages: driven.messages(),
    transitions: records.flatMap(transitionsOf),
  };
}

describe('many measurements in one request, in long windows', () => {
  it('have the messages, the states and the windows that they have one by one', () => {
    let fired = 0;
    fc.assert(
      fc.property(
        fc.array(element, { minLength: SIZE + 10, maxLength: 100 }),
        fc.array(element, { minLength: 17, maxLength: 30 }),
        (first, second) => {
          const [together, alone] = [server(), server()];
          for (const [i, elements] of [first, second].entries()) {
            const how = { now: NOON + i * 1000, tenant: TENANT };
            together.measure(elements, how);
            for (const one of elements) alone.measure(one, how);
          }
          expect(outcomeOf(together)).to.deep.equal(outcomeOf(alone));
          fired += together.messages().length;
        },
      ),
      { numRuns: 12 },
    );
    expect(fired).to.be.above(10);
  });
});
