import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { cpuStory, PLAIN_RULE, QUIET_RULE } from './cpu-series.js';
import { inOrder } from './live-message.js';
import { play } from './live-player.js';
import { openStage } from './live-stage.js';
import type { Outcome, PlainMessage, Story } from './story.js';
import { plainModel } from './plain-model.js';

const RULES = { plain: PLAIN_RULE, quiet: QUIET_RULE };

describe('the figures of the CPU series', () => {
  const scene = scenes();
  let story: Story;
  let outcome: Outcome;
  before(async () => {
    story = await cpuStory(RULES);
    outcome = plainModel(story);
  });

  it('are 453 firings of the plain rule and one of the quiet rule, for 135,600 s', async () => {
    for (const { messages, subscriptions } of [outcome, plainModel(await cpuStory(RULES, 0))]) {
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

  it('are the same in the service, at the times of the series', async () => {
    const stage = await openStage(scene, { WINDOW_GAP_S: '300' });
    const played = await play(stage, story, 'ac20cd');
    expect(rounded(played.messages)).to.deep.equal(rounded(inOrder(outcome.messages)));
    for (const [name, { state, firings, unsent }] of Object.entries(outcome.subscriptions)) {
      expect(played.subscriptions[name], name).to.deep.equal({ state, firings, unsent });
    }
  });
});

/** The sums of a mean may be added in any order, so its last digits are free. */
function rounded(messages: readonly PlainMessage[]): unknown[] {
  return messages.map((one) => ({ ...one, measures: { cpu: one.measures['cpu']!.toFixed(9) } }));
}
