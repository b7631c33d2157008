import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiClient } from '../../e2e/api-client.js';
import { okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { cpuStory, PLAIN_RULE, QUIET_RULE } from './cpu-series.js';
import { SETTINGS } from './live-stage.js';
import { plainModel } from './plain-model.js';
import { randomRules } from './random-rules.js';
import { GAP_S } from './random-stories.js';
import type { PlainFact, PlainRule, Step, Story } from './story.js';

const RUNS = process.env['SPECS'] === 'all' ? 400 : 100;
const BEGIN = Date.parse('2026-11-23T12:00:00Z');

interface Backtest {
  readonly evaluations: number;
  readonly firings: number;
  /** Seconds. */
  readonly held: number;
  readonly messages: readonly {
    readonly index: number | null;
    readonly at: string;
    readonly state: string;
    readonly measures: Readonly<Record<string, number>>;
  }[];
}

describe('a backtest', function () {
  this.timeout(120_000);
  const scene = scenes();
  const { rule, fact } = randomRules('any');
  const pauseS = fc.constantFrom(0, 1, 5, 5, 5, 10, 10, 20, 30, GAP_S, GAP_S, GAP_S + 1);

  it('answers what the plain model says of random rules and series', async () => {
    const { api } = await scene.service(SETTINGS);
    const moves = fc.array(fc.record({ pauseS, fact }), { minLength: 1, maxLength: 60, size: 'max' });
    const windowsize = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(rule, moves, windowsize, async (one, series, size) => {
        const story = storyOf(one, series, size);
        expect(await backtest(api, story)).to.deep.equal(told(story));
      }),
      { numRuns: RUNS },
    );
  });

  it('answers the figures of the CPU series', async () => {
    const { api } = await scene.service(SETTINGS);
    for (const [one, firings] of [
      [PLAIN_RULE, 453],
      [QUIET_RULE, 1],
    ] as const) {
      const result = await backtest(api, await cpuStory({ rule: one }));
      expect(result).to.include({ firings, held: 135_600 });
      expect(result.messages).to.have.length(firings);
    }
  });
});

/** Returns the story of one subscription from the first fact on. */
function storyOf(
  rule: PlainRule,
  series: readonly { readonly pauseS: number; readonly fact: PlainFact }[],
  windowsize: number,
): Story {
  let at = BEGIN;
  const facts = series.map(({ pauseS, fact }, index): Step => {
    if (index > 0) at += pauseS * 1_000;
    return { at, do: 'facts', facts: [fact] };
  });
  const first: Step = { at: BEGIN, do: 'subscribe', subscription: 'rule', rule: 'rule' };
  return { rules: { rule }, generic: [], windowsize, gapS: GAP_S, steps: [first, ...facts] };
}

/** Asks for the backtest of a story with one rule. */
async function backtest(api: ApiClient, story: Story): Promise<Backtest> {
  const [rule] = Object.values(story.rules);
  const facts = story.steps.flatMap((step) => {
    return step.do === 'facts' ? [{ at: new Date(step.at).toISOString(), ...step.facts[0] }] : [];
  });
  const body = {
    rule: { name: 'tried', action: { actionName: 'notify-scale', operation: 'scaleUp' }, ...rule },
    windowsize: story.windowsize,
    gap: story.gapS,
    facts,
  };
  return okBody(await api.call('POST', '/v1.0/demo/rules/backtest', body)) as unknown as Backtest;
}

/** Returns what the plain model says, as a backtest answers it. */
function told(story: Story): Backtest {
  const { messages, subscriptions } = plainModel(story);
  const { evaluations, firings, heldMs } = subscriptions['rule']!;
  return {
    evaluations,
    messages: messages.map(({ at, fact, state, measures }) => ({
      index: fact === null ? null : fact - 1,
      at: new Date(at).toISOString(),
      state,
      measures,
    })),
    firings,
    held: heldMs / 1_000,
  };
}
