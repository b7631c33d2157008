import { expect } from 'chai';
import type { ExplainedSubscription, Explanation } from '../../../src/policy/explain/shapes.js';
import { explanationJson } from '../../../src/policy/http/presentation.js';

const SUBSCRIPTION: ExplainedSubscription = {
  subscriptionId: 's',
  url: 'https://example.org/ü',
  state: 'calm',
  since: null,
  sentence: 'Does not hold.',
  comparisons: [],
  firings: 0,
  unsent: 0,
  lastFiring: null,
};

describe('an explanation as JSON', () => {
  it('is that of JSON.stringify, for any number of subscriptions', async () => {
    for (const count of [0, 1, 2, 63, 64, 65, 128, 200]) {
      const explanation: Explanation = {
        ruleId: 'r',
        serverId: 'web-1',
        windows: { cpu: { size: 1, values: [1] } },
        lastFact: null,
        subscriptions: Array.from({ length: count }, (_, i) => ({ ...SUBSCRIPTION, firings: i })),
        ...(count === 0 ? { sentence: 'Not evaluated: "nothing".' } : {}),
      };
      const made = await explanationJson(explanation);
      expect(made.toString()).to.equal(JSON.stringify(explanation));
    }
  });

  it('lets other work have turns of the event loop', async () => {
    const subscriptions = Array.from({ length: 1_000 }, () => SUBSCRIPTION);
    const explanation = { ruleId: 'r', serverId: 'web-1', windows: {}, lastFact: null, subscriptions };
    let turns = 0;
    let isMaking = true;
    const count = (): void => {
      turns += 1;
      if (isMaking) setImmediate(count);
    };
    setImmediate(count);
    await explanationJson(explanation);
    isMaking = false;
    expect(turns).to.be.at.least(10);
  });
});
