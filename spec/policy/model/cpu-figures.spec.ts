import { expect } from 'chai';
import { cpuStory, PLAIN_RULE, QUIET_RULE } from './cpu-series.js';
import { plainModel } from './plain-model.js';

const RULES = { plain: PLAIN_RULE, quiet: QUIET_RULE };

describe('the figures of the CPU series', () => {
  it('are 453 firings of the plain rule and one of the quiet rule, for 135,600 s', async () => {
    for (const { messages, subscriptions } of [
      plainModel(await cpuStory(RULES)),
      plainModel(await cpuStory(RULES, 0)),
    ]) {
      expect(subscriptions['plain']).to.include({ firings: 453, heldMs: 135_600_000, state: 'firing' });
      expect(subscriptions['quiet']).to.include({ firings: 1, heldMs: 135_600_000, state: 'firing' });
      expect(messages.filter(({ subscription }) => subscription === 'quiet')).to.deep.equal([
        {
          subscription: 'quiet',
          at: Date.parse('2014-04-15T01:19:00Z'),
          state: 'firing',
          fact: 3_582,
          since: Date.parse('2014-04-15T01:09:00Z'),
          measures: { cpu: 98.6916 },
          isStated: true,
        },
      ]);
    }
  });
});
