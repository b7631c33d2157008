import { expect } from 'chai';
import fc from 'fast-check';
import { addSubscribedRule, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { attributesOf } from '../model/live-player.js';
import { openStage } from '../model/live-stage.js';
import { comparisonsOf } from '../model/plain-condition.js';
import { randomRules } from '../model/random-rules.js';
import type { PlainCondition, PlainRule } from '../model/story.js';
import { PlainExplainer } from './plain-explainer.js';

const GAP_S = 100;
const MORE = process.env['SPECS'] === 'all' ? 10 : 1;

// Fractions of two have exact sums.
const value = fc.constantFrom(0, 12.5, 20, 50, 66.0625, 70, 70.25, 80, 100);
const metric = fc.constantFrom('cpu', 'mem', 'hdd', 'net', 'queue', 'temp');
const fact = fc.dictionary(metric, value, { minKeys: 2, maxKeys: 6 }).map((one) => ({ ...one }));

/** Conditions of the model's rules, again in a group of several. */
const flat = randomRules('evaluated').rule.map(({ condition }) => condition);
const several = fc.array(flat, { minLength: 1, maxLength: 4 });
const condition: fc.Arbitrary<PlainCondition> = fc
  .oneof(flat, fc.record({ any: several }), fc.record({ all: several }), fc.record({ not: flat }))
  .filter((one) => comparisonsOf(one).length <= 32);

const story = fc.record({
  condition,
  for: fc.constantFrom(undefined, undefined, 0, 120, 86_400),
  windowsize: fc.constantFrom(1, 2, 3),
  facts: fc.array(fc.record({ pauseMs: fc.constantFrom(0, 1_499, 60_000, 60_000, 100_000, 411_500), fact }), {
    minLength: 4,
    maxLength: 16,
    size: 'max',
  }),
});

/** Kinds of sentences. */
const KINDS = [
  /^Does not hold: the/,
  /^Holds since \S+Z: /,
  /^Holds since \S+Z and fires when it has held for \d+ s: /,
  /^Not evaluated: the window of \w+ holds \d of \d values\.$/,
  /^Not evaluated: .* values, emptied by a pause of \d+ s\.$/,
  /, where it clears/,
  /\(the .*, or the .*\), and /,
  /\(the .*, and the .*\), or /,
  /not \((?!not)/,
];

describe('the sentences of explain', () => {
  const scene = scenes();

  it('are those of a plain writer, for random conditions after each of random facts', async () => {
    const stage = await openStage(scene, { WINDOW_GAP_S: String(GAP_S) });
    const { api } = stage;
    let servers = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ condition, for: seconds, windowsize, facts }) => {
        const server = `web-${(servers += 1)}`;
        const rule = ruleOf(condition, seconds);
        const plain = new PlainExplainer(rule, windowsize, GAP_S);
        await windowSize(api, windowsize);
        const named = { name: 'random', action: { actionName: 'scale', operation: 'scaleUp' }, ...rule };
        const { ruleId } = await addSubscribedRule(api, server, `${stage.receiver.origin}/${server}`, named);
        for (const one of facts) {
          stage.now += one.pauseMs;
          plain.fact(one.fact, stage.now);
          okBody(await api.call('POST', `/demo/servers/${server}`, factsBody(attributesOf(one.fact))));
          const path = `/v1.0/demo/servers/${server}/rules/${ruleId}/explain`;
          const { subscriptions } = okBody(await api.call('GET', path)) as unknown as {
            readonly subscriptions: readonly { readonly sentence: string }[];
          };
          expect(subscriptions[0]!.sentence).to.equal(plain.sentence());
        }
      }),
      { numRuns: 60 * MORE },
    );
  });

  it('are of each kind', () => {
    const missing = new Set(KINDS.map(({ source }) => source));
    const stories = fc.sample(story, { numRuns: 500, seed: 1 });
    for (const { condition, for: seconds, windowsize, facts } of stories) {
      const plain = new PlainExplainer(ruleOf(condition, seconds), windowsize, GAP_S);
      let at = Date.parse('2014-04-01T00:00:00Z');
      for (const one of facts) {
        plain.fact(one.fact, (at += one.pauseMs));
        for (const kind of KINDS) if (kind.test(plain.sentence())) missing.delete(kind.source);
      }
    }
    expect([...missing]).to.deep.equal([]);
  });
});

function ruleOf(condition: PlainCondition, seconds: number | undefined): PlainRule {
  return seconds === undefined ? { condition } : { condition, for: seconds };
}
