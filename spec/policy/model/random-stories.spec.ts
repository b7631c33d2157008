import { expect } from 'chai';
import fc from 'fast-check';
import { scenes } from '../../e2e/scene.js';
import { inOrder } from './live-message.js';
import { play } from './live-player.js';
import { openStage } from './live-stage.js';
import { plainModel } from './plain-model.js';
import type { Form } from './random-rules.js';
import { beginningAt, randomStories } from './random-stories.js';

const MORE = process.env['SPECS'] === 'all' ? 5 : 1;

describe('random stories have the same messages from the service as from the plain model', () => {
  const scene = scenes();

  it('with the rules of the interface document', () => areSame('documented', 15));
  it('with groups, clear, aggregates, other metrics, for, repeat and resolve', () =>
    areSame('evaluated', 25));
  // A wake-up takes a quarter of a second.
  it('with noData as well', () => areSame('any', 5));

  async function areSame(form: Form, runs: number): Promise<void> {
    const stage = await openStage(scene);
    let servers = 0;
    await fc.assert(
      fc.asyncProperty(randomStories({ form, length: 40 }), async (random) => {
        const story = beginningAt(random, stage.now + 3_600_000);
        const played = await play(stage, story, `web-${(servers += 1)}`);
        const { messages, subscriptions } = plainModel(story);
        expect(played.messages).to.deep.equal(inOrder(messages));
        for (const [name, { state, firings, unsent }] of Object.entries(subscriptions)) {
          expect(played.subscriptions[name], name).to.deep.equal({ state, firings, unsent });
        }
      }),
      { numRuns: runs * MORE },
    );
  }
});
