import { expect } from 'chai';
import fc from 'fast-check';
import { metricList, type MetricSettings } from '../../../src/config/metrics.js';
import {
  backtest,
  type Backtest,
  backtestAnswer,
  type BacktestResult,
  type PastFact,
  secondsHeld,
} from '../../../src/policy/backtest/backtest.js';
import { backtestWork } from '../../../src/policy/http/backtests.js';
import type { RuleDraft } from '../../../src/policy/rules/rule.js';
import { cases } from '../../cases.js';
import { cpuStory, PLAIN_RULE, QUIET_RULE } from '../model/cpu-series.js';
import { plainModel } from '../model/plain-model.js';
import { METRICS, randomRules } from '../model/random-rules.js';
import type { PlainRule, Story } from '../model/story.js';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const S = 1_000;
const GAP_S = 100;

describe('a backtest', () => {
  it('is what the plain model says, and its answer the same, for random rules and series', () => {
    const seen = { firing: 0, resolved: 0, noData: 0, ended: 0, open: 0 };
    const { rule, fact } = randomRules('any');
    const pauseS = fc.constantFrom(0, 1, 5, 10, 10, 30, GAP_S, GAP_S + 1);
    const series = fc.array(fc.record({ pauseS, fact }), { minLength: 1, maxLength: 40, size: 'max' });
    const start = fc.constantFrom(0, NOON, -NOON);
    fc.assert(
      fc.property(rule, series, start, fc.constantFrom(1, 1, 2, 3), (one, moves, from, windowsize) => {
        let at = from;
        const facts = moves.map(({ pauseS: pause, fact: measures }) => ({ at: (at += pause * S), measures }));
        const found = backtest(of(one, { windowsize, gapMs: GAP_S * S, facts }));
        expect(comparable(found, from)).to.deep.equal(modelled(one, windowsize, facts, from));
        expect(answered(one, windowsize, facts)).to.deep.equal(backtestAnswer(found));
        for (const { state } of found.messages) seen[state] += 1;
        for (const { ended } of found.periods) seen[ended ? 'ended' : 'open'] += 1;
      }),
      { numRuns: cases(3_000, 1_000) },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).to.be.greaterThan(cases(100, 33));
  });

  it('of the CPU series says the figures of the README, with a gap and without', async () => {
    for (const gapS of [300, 0]) {
      const { steps } = await cpuStory({}, gapS);
      const facts = steps.flatMap((step) =>
        step.do === 'facts' ? [{ at: step.at, measures: step.facts[0]! }] : [],
      );
      const plain = backtest(of(PLAIN_RULE, { windowsize: 5, gapMs: gapS * S, facts }));
      expect(plain.firings).to.equal(453);
      expect(plain.messages).to.have.length(453);
      expect(secondsHeld(plain.periods)).to.equal(135_600);
      const quiet = backtest(of(QUIET_RULE, { windowsize: 5, gapMs: gapS * S, facts }));
      expect(quiet.messages).to.deep.equal([
        { index: 3_581, at: Date.parse('2014-04-15T01:19:00Z'), state: 'firing', measures: { cpu: 98.6916 } },
      ]);
      expect(secondsHeld(quiet.periods)).to.equal(135_600);
      expect(quiet.periods).to.deep.equal([
        { from: Date.parse('2014-04-15T01:09:00Z'), to: facts.at(-1)!.at, ended: false },
      ]);
    }
  });

  it('of no facts has no messages', () => {
    const nothing = { evaluations: 0, messages: [], firings: 0, periods: [] };
    expect(backtest(of(PLAIN_RULE, { windowsize: 1, gapMs: 0, facts: [] }))).to.deep.equal(nothing);
  });

  it('notifies of noData when it was due: before the fact that comes then, once, and not after the last', () => {
    const rule = { ...PLAIN_RULE, noData: 60 };
    const facts = [0, 60, 61, 300].map((s) => ({ at: NOON + s * S, measures: { cpu: 50 } }));
    const { messages } = backtest(of(rule, { windowsize: 1, gapMs: 0, facts }));
    expect(messages.map(({ at, index, state }) => [(at - NOON) / S, index, state])).to.deep.equal([
      [60, null, 'noData'],
      [121, null, 'noData'],
    ]);
  });
});

function of(rule: PlainRule, rest: Omit<Backtest, 'rule'>): Backtest {
  const action = { actionName: 'notify-scale', operation: 'scaleUp' };
  return { rule: { name: 'tried', action, ...rule } as RuleDraft, ...rest };
}

const work = backtestWork({
  metrics: metricList.parse(METRICS) as MetricSettings,
  windowMax: 10,
  gapS: 300,
});

/** Returns the answer to the body of a backtest. */
function answered(rule: PlainRule, windowsize: number, facts: readonly PastFact[]): unknown {
  const body = {
    rule: of(rule, { windowsize, gapMs: 0, facts }).rule,
    windowsize,
    gap: GAP_S,
    facts: facts.map(({ at, measures }) => ({ at: new Date(at).toISOString(), ...measures })),
  };
  const answer = work({ bytes: Buffer.from(JSON.stringify(body)), windowsize: 1 });
  return JSON.parse(Buffer.from(answer).toString());
}

/** What a backtest and the model have in common. Times from the first fact on. */
function comparable({ messages, firings, evaluations, periods }: BacktestResult, from: number): unknown {
  return {
    messages: messages.map(({ index, at, ...rest }) => ({ at: at - from, index, ...rest })),
    firings,
    evaluations,
    held: secondsHeld(periods),
  };
}

/** Returns what the model says of a server with one subscription, made at the first fact. */
function modelled(rule: PlainRule, windowsize: number, facts: readonly PastFact[], from: number): unknown {
  // The model has no times before 1970 and no fact at 0.
  const at = (fact: PastFact): number => fact.at - from + NOON;
  const story: Story = {
    rules: { tried: rule },
    generic: [],
    windowsize,
    gapS: GAP_S,
    steps: [
      { at: at(facts[0]!), do: 'subscribe', subscription: 'one', rule: 'tried' },
      ...facts.map(
        (fact) => ({ at: at(fact), do: 'facts', facts: [fact.measures as Record<string, number>] }) as const,
      ),
    ],
  };
  const { messages, subscriptions } = plainModel(story);
  const { firings, evaluations, heldMs } = subscriptions['one']!;
  const sent = messages.map(({ at: time, fact, state, measures }) => ({
    at: time - NOON,
    index: fact === null ? null : fact - 1,
    state,
    measures,
  }));
  return { messages: sent, firings, evaluations, held: heldMs / S };
}
