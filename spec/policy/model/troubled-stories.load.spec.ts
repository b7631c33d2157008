import { expect } from 'chai';
import fc from 'fast-check';
import { scenes } from '../../e2e/scene.js';
import { expectMails, expectOrder } from './expected-order.js';
import { play } from './live-player.js';
import { openTroubledStage, type TroubledStage } from './live-troubles.js';
import { plainModel } from './plain-model.js';
import { beginningAt } from './random-stories.js';
import type { Story } from './story.js';
import { troubledStories } from './troubled-stories.js';

const STORIES = 10;
const SEED = 20_261_124;

describe('random stories with outages, mutes, suspensions and restarts over HTTP and SMTP', function () {
  this.timeout(900_000);
  const scene = scenes();

  it('have the messages of the plain model, in its order, at receivers and in the mailbox', async () => {
    const stage = await openTroubledStage(scene);
    const stories = fc.sample(troubledStories(), { numRuns: STORIES, seed: SEED });
    const figures = { messages: 0, mails: 0, unsent: 0, refused: 0 };
    for (const [index, random] of stories.entries()) {
      const story = beginningAt(withoutKills(random), stage.now + 3_600_000);
      try {
        const { messages, tried, played } = await compared(stage, story, `web-${index}`);
        figures.messages += messages.length;
        figures.mails += tried.mails.length;
        figures.unsent += Object.values(played.subscriptions).reduce((sum, { unsent }) => sum + unsent, 0);
        figures.refused += played.story.steps.filter((step) => step.do === 'refused').length;
      } catch (error) {
        throw new Error(`story ${index} of seed ${SEED} differs`, { cause: error });
      }
    }
    console.log(`      ${STORIES} stories: ${JSON.stringify(figures)}`);
  });
});

/** Plays a story, and compares what came of it with the plain model. */
async function compared(stage: TroubledStage, story: Story, server: string) {
  const played = await play(stage, story, server);
  const { messages, subscriptions } = plainModel(played.story);
  // The server of a story before may have something to say until it has lost its rules.
  const webhooks = stage.troubles.webhooks.filter((one) => one.server === server);
  const ids = new Set(webhooks.map(({ id }) => `${id}_mail`));
  const tried = { webhooks, mails: stage.troubles.mails.filter(({ id }) => ids.has(id)) };
  expectOrder(tried.webhooks, messages);
  expectMails(tried, played.story, messages);
  for (const [name, { state, firings, unsent }] of Object.entries(subscriptions)) {
    expect(played.subscriptions[name], name).to.deep.equal({ state, firings, unsent });
  }
  return { messages, tried, played };
}

/** The service is in this process. An attempt that hangs takes 8 s: one in a story is enough. */
function withoutKills(story: Story): Story {
  let hangs = 0;
  const steps = story.steps
    .filter((step) => step.do !== 'kill')
    .map((step) => {
      if (step.do !== 'outage' || step.how !== 'hang') return step;
      hangs += 1;
      return hangs === 1 && step.receiver !== 'mail' ? step : { ...step, how: 'down' as const };
    });
  return { ...story, steps };
}
