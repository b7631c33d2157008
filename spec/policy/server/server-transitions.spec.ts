import { expect } from 'chai';
import fc from 'fast-check';
import { transition } from 'xstate';
import type { ActorKind } from '../../../src/actors/kind.js';
import { behavior, type Snapshot } from '../../../src/actors/behavior.js';
import { SERVER } from '../../../src/policy/server/server-kind.js';
import { stateOf } from '../../../src/policy/server/server-machine.js';
import type { RuleChange } from '../../../src/policy/rules/rule.js';
import type { ServerContext, ServerEvent } from '../../../src/policy/server/server-context.js';
import { ADDRESS, NOON, policyKind, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const now = fc.integer({ min: NOON, max: NOON + 900_000 });
const id = fc.constantFrom('1', '2');
const percent = fc.constantFrom(1, 50, 90);
const measures = fc
  .record({ cpu: percent, mem: percent }, { requiredKeys: [] })
  .filter((some) => Object.keys(some).length > 0);
const tenant = fc.constantFrom(tenantView(1), tenantView(2), tenantView(3));
const broker = fc.option(fc.record({ id, expiresAt: now }), { nil: undefined });

const SUBSCRIBED: readonly ServerEvent[] = [
  { type: 'addRules', now: NOON, rules: [ruleOf({ ruleId: '1' })] },
  { type: 'subscribe', now: NOON, subscription: subscriptionOf({ ruleId: '1' }), tenant: tenantView(1) },
];

const event: fc.Arbitrary<ServerEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('facts'),
      now,
      measures: fc.array(measures, { minLength: 1, maxLength: 3 }),
      source: fc.option(id, { nil: undefined }),
      tenant,
    }),
  },
  fc.record({ type: fc.constant('addRules'), now, rules: id.map((ruleId) => [ruleOf({ ruleId })]) }),
  fc.record({
    type: fc.constant('changeRule'),
    now,
    ruleId: id,
    change: fc.constantFrom<RuleChange>(
      { name: 'other' },
      { condition: { mem: { value: 50, operand: 'less' } } },
      { condition: { cpu: { value: 80, operand: 'greater' } } },
    ),
    tenant,
  }),
  fc.record({ type: fc.constant('removeRule'), now, ruleId: id }),
  fc.record({ type: fc.constant('rulesChanged'), now, tenant }),
  fc.record({
    type: fc.constant('subscribe'),
    now,
    subscription: fc
      .record({ id, ruleId: id, broker })
      .map((given) => subscriptionOf({ ...given, url: `https://example.org/${given.id}` })),
    tenant,
  }),
  fc.record({ type: fc.constant('unsubscribe'), now, subscriptionId: id }),
  fc.record({ type: fc.constant('discard'), now, brokerId: id }),
  fc.record({
    type: fc.constant('intend'),
    now,
    mark: id,
    known: fc.boolean(),
    wanted: id.map((ruleId) => ({ ruleId, url: `https://example.org/${ruleId}` })),
    tenant,
  }),
  fc.record({ type: fc.constantFrom('abandon', 'settle', 'followed'), now, mark: id }),
  fc.record({
    type: fc.constant('retracted'),
    now,
    mark: id,
    brokerIds: fc.uniqueArray(id),
  }),
  fc.record({
    type: fc.constant('suspend'),
    now,
    subscriptionId: id,
    since: now,
    refused: fc.record({ deliveryId: id, factId: fc.option(fc.nat(3)) }),
  }),
  fc.record({ type: fc.constant('mute'), now, subscriptionId: id, until: now }),
  fc.record({ type: fc.constant('unmute'), now, subscriptionId: id }),
  fc.record({ type: fc.constant('acknowledge'), now, subscriptionId: id, by: fc.constant('ann') }),
  fc.record({
    type: fc.constant('dispatched'),
    now,
    entryIds: fc.uniqueArray(
      fc.oneof(
        id.map((mark) => `intend:${mark}`),
        fc.constantFrom('record:1', 'record:2'),
      ),
    ),
  }),
  fc.record({ type: fc.constant('performed'), now, entryId: id }),
  fc.record({ type: fc.constant('wake'), now }),
);

/** Events in random order, half of the time of a server with a rule and a subscription to it. */
const history = fc
  .tuple(fc.boolean(), fc.array(event, { maxLength: 40 }))
  .map(([subscribed, events]) => (subscribed ? [...SUBSCRIBED, ...events] : events));

/** The transition of XState itself. */
function xstateTransition(
  { machine }: ActorKind,
  { value, context }: Snapshot,
  given: ServerEvent,
): Snapshot {
  const [next] = transition(machine, machine.resolveState({ value, context }), given);
  return next as Snapshot;
}

describe('a transition of a server', () => {
  it('is the one of XState, for any history', () => {
    const kind = policyKind(SERVER);
    const server = behavior(kind);
    fc.assert(
      fc.property(history, (events) => {
        let snapshot = server.initial(ADDRESS);
        for (const given of events) {
          const expected = xstateTransition(kind, snapshot, given);
          snapshot = server.next(snapshot, given);
          expect(snapshot.value).to.equal(expected.value);
          const { reply, ...context } = snapshot.context;
          const { reply: expectedReply, ...expectedContext } = expected.context;
          expect(context).to.deep.equal(expectedContext);
          expect(String(reply)).to.equal(String(expectedReply));
          snapshot.context.reply = undefined;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leads to the state of the context, or to `gone`', () => {
    const server = behavior(policyKind(SERVER));
    fc.assert(
      fc.property(history, (events) => {
        let snapshot = server.initial(ADDRESS);
        for (const given of events) {
          snapshot = server.next(snapshot, given);
          if (snapshot.value === 'gone') break;
          expect(snapshot.value).to.equal(stateOf(snapshot.context as ServerContext));
        }
      }),
      { numRuns: 100 },
    );
  });
});
