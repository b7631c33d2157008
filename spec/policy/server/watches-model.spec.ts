import { expect } from 'chai';
import fc from 'fast-check';
import type { DocumentMetric as Metric } from '../../../src/policy/rules/metrics.js';
import type { Rule } from '../../../src/policy/rules/rule.js';
import { resized } from '../../../src/policy/tenant/tenant-view.js';
import type { TenantView } from '../../../src/policy/tenant/tenant-view.js';
import { transitionsOf } from '../../../src/policy/watch/stored-transitions.js';
import type { Transition } from '../../../src/policy/watch/watch.js';
import { explainRule } from '../../../src/policy/explain/explanation.js';
import { driveServer, NOON, ruleOf, subscriptionOf } from './driven-server.js';
import { watchIn } from '../../../src/policy/explain/explanation.js';
import { PlainServer } from './plain-watches.js';
import type { PlainCondition } from './plain-watches.js';

const GAP = 1_000;
const SUBSCRIPTIONS = ['s1', 's2', 's3'];

const percent = fc.integer({ min: 0, max: 4 }).map((fifth) => fifth * 25);
const statement = fc.record({
  value: percent,
  operand: fc.constantFrom('greater', 'less', 'greater equal', 'less equal'),
});
const condition: fc.Arbitrary<PlainCondition> = fc.oneof(
  fc.record({ cpu: statement }),
  fc.record({ mem: statement }),
  fc.record({ mem: statement, cpu: statement }),
);
const measures: fc.Arbitrary<Partial<Record<Metric, number>>> = fc
  .record({ cpu: percent, mem: percent, net: percent }, { requiredKeys: [] })
  .filter((one) => Object.keys(one).length > 0);

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('facts'),
      all: fc.array(measures, { minLength: 1, maxLength: 3 }),
      // A pause longer than the gap is rare.
      later: fc.constantFrom(1, 1, 10, 400, GAP, GAP + 1),
    }),
  },
  fc.record({ do: fc.constant('resize'), size: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('change'), generic: fc.boolean(), to: condition }),
  fc.record({ do: fc.constant('suspend'), id: fc.constantFrom(...SUBSCRIPTIONS) }),
  fc.record({ do: fc.constant('resume'), id: fc.constantFrom(...SUBSCRIPTIONS) }),
  fc.record({ do: fc.constant('leave'), id: fc.constantFrom(...SUBSCRIPTIONS) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The server of the product and the plain one, side by side. `s1` and `s2` have its own rule, `s3` a generic one. */
function sideBySide(own: PlainCondition, generic: PlainCondition) {
  const server = driveServer({ gapMs: GAP });
  const plain = new PlainServer(2, GAP);
  let now = NOON;
  let tenant: TenantView = {
    names: ['Acme'],
    version: 0,
    window: { size: 2, version: 0, lows: [] },
    rules: [ruleOf({ ruleId: 'g1', condition: generic })],
  };
  const recorded: Transition[] = [];
  /** Hands the waiting transitions over, as the effect does. */
  const handOver = (): void => {
    const entries = server.context.outbox.filter((entry) => entry.type === 'record');
    for (const entry of entries) {
      expect(entry.first).to.equal(recorded.length + 1);
      recorded.push(...transitionsOf(entry));
    }
    const entryIds = server.context.outbox.map(({ id }) => id);
    server.ask({ type: 'dispatched', now, entryIds });
  };
  const subscription = (id: string) =>
    subscriptionOf({ id, ruleId: id === 's3' ? 'g1' : 'r1', url: `https://example.org/${id}` });

  server.addRule(ruleOf({ condition: own }));
  plain.changeRule('r1', own, now);
  plain.changeRule('g1', generic, now);
  for (const id of SUBSCRIPTIONS) {
    server.subscribe(subscription(id), { tenant, now });
    plain.subscribe(id, subscription(id).ruleId);
  }

  return {
    take(given: Step): void {
      if (given.do === 'facts') {
        now += given.later;
        server.measure(given.all, { now, tenant });
        plain.facts(given.all, now);
      } else if (given.do === 'resize') {
        const version = tenant.version + 1;
        tenant = { ...tenant, version, window: resized(tenant.window, given.size) };
        plain.resize(given.size);
      } else if (given.do === 'change') {
        const ruleId = given.generic ? 'g1' : 'r1';
        if (given.generic) {
          const version = tenant.version + 1;
          tenant = { ...tenant, version, rules: [ruleOf({ ruleId, condition: given.to })] };
          server.ask({ type: 'rulesChanged', now, tenant });
        } else server.ask({ type: 'changeRule', now, ruleId, change: { condition: given.to }, tenant });
        plain.changeRule(ruleId, given.to, now);
      } else if (given.do === 'leave') {
        if (!plain.subscriptions.some(({ id }) => id === given.id)) return;
        server.ask({ type: 'unsubscribe', now, subscriptionId: given.id });
        plain.unsubscribe(given.id);
      } else {
        const one = plain.subscriptions.find(({ id }) => id === given.id);
        if (given.do === 'suspend')
          server.ask({ type: 'suspend', now, subscriptionId: given.id, since: (now += 1) });
        else if (one !== undefined) server.subscribe(subscription(given.id), { now, tenant });
        if (one !== undefined) one.suspended = given.do === 'suspend';
      }
      handOver();
    },
    compare(): void {
      for (const one of plain.subscriptions) {
        const watch = watchIn(server.context, one.id);
        expect(watch?.state ?? 'filling').to.equal(one.state);
        expect(watch?.since).to.equal(one.since);
        expect(watch?.firings ?? 0).to.equal(one.firings);
        expect(watch?.last).to.deep.equal(one.last);
        expect(server.context.unsent?.[one.id] ?? 0).to.equal(one.unsent);
      }
      expect((server.context.watches ?? []).length).to.be.at.most(plain.subscriptions.length);
      expect(recorded.map(shownPlainly)).to.deep.equal(plain.transitions);
    },
    /** After a fact, the explanation says what the last transition said, as long as no later fact said more. */
    explanations(): void {
      const rules: readonly Rule[] = [...server.context.rules, ...tenant.rules];
      const all = rules.flatMap(
        (rule) => explainRule(server.context, tenant, rule, new Map(), now).subscriptions,
      );
      for (const { subscriptionId, state, since, sentence, comparisons } of all) {
        const one = plain.subscriptions.find(({ id }) => id === subscriptionId)!;
        expect(state).to.equal(one.state);
        expect(since).to.equal(state === 'firing' ? new Date(one.since!).toISOString() : null);
        expect(sentence.replace(/^Suspended since .*? refused\. /, '')).to.match(
          STARTS[state as keyof typeof STARTS],
        );
        const holds = comparisons.map((comparison) => comparison.holds);
        if (state === 'filling') expect(new Set(holds)).to.deep.equal(new Set([null]));
        else expect(holds.every(Boolean)).to.equal(state === 'firing');
        const last = recorded.findLast((transition) => transition.subscriptionId === subscriptionId);
        if (last?.factId === server.context.factId && one.state !== 'filling') {
          expect(last.sentence).to.equal(sentence);
        }
      }
    },
  };
}

function shownPlainly({ at, subscriptionId, from, to, factId }: Transition) {
  return { at, subscriptionId, from, to, factId };
}

const STARTS = { filling: /^Not evaluated: /, calm: /^Does not hold: /, firing: /^Holds since / } as const;

describe('the watches of a server', () => {
  it('are those of the plain watches, for any history', () => {
    fc.assert(
      fc.property(condition, condition, fc.array(step, { maxLength: 40 }), (own, generic, steps) => {
        const both = sideBySide(own, generic);
        for (const one of steps) {
          both.take(one);
          both.compare();
          if (one.do === 'facts') both.explanations();
        }
      }),
      { numRuns: 500 },
    );
  });
});
