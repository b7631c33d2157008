import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { cpuStory, PLAIN_RULE, QUIET_RULE } from './cpu-series.js';
import { inOrder } from './live-message.js';
import { play } from './live-player.js';
import { openStage } from './live-stage.js';
import type { PlainMessage } from './story.js';
import { plainModel } from './plain-model.js';

describe('the figures of the CPU series', () => {
  const scene = scenes();

  it('are the same in the service, at the times of the series', async () => {
    const story = await cpuStory({ plain: PLAIN_RULE, quiet: QUIET_RULE });
    const outcome = plainModel(story);
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
