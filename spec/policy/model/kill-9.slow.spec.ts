import { expect } from 'chai';
import fc from 'fast-check';
import { scenes } from '../../e2e/scene.js';
import { seeded } from '../../faults/stage/random.js';
import { launcher } from '../../faults/stage/service-process.js';
import { dyingService } from './dying-service.js';
import { inOrder } from './live-message.js';
import { play } from './live-player.js';
import { SETTINGS, tenantIdOf } from './live-stage.js';
import { plainModel } from './plain-model.js';
import { randomStories } from './random-stories.js';
import type { PlainMessage, Story } from './story.js';

/** Each kill costs a start, of about a second. */
const STORIES = 15;
/** Fewest steps of a story. */
const STEPS = 25;
const SHARE_KILLED = 0.1;
const SEED = 20_261_123;

describe('random stories of a service that is killed in the middle', () => {
  const scene = scenes();

  it('have the messages of the plain model', async () => {
    const services = scene.keep(await launcher(SETTINGS), (one) => one.close());
    const receiver = await scene.receiver();
    const api = await dyingService(services, seeded(SEED), SHARE_KILLED);
    const stage = { api, receiver, tenantId: await tenantIdOf(api), now: 0 };
    const wanted = randomStories({ form: 'timeless', length: 40, still: true });
    const stories = fc.sample(
      wanted.filter(({ steps }) => steps.length >= STEPS),
      {
        numRuns: STORIES,
        seed: SEED,
      },
    );
    for (const [index, story] of stories.entries()) {
      const about = `story ${index} of seed ${SEED}: ${JSON.stringify(story)}`;
      const played = await play(stage, story, `web-${index}`);
      const { messages, subscriptions } = plainModel(ticking(story));
      expectSame(byFact(played.messages), byFact(messages), about);
      for (const [name, { state, firings, unsent }] of Object.entries(subscriptions)) {
        expect(played.subscriptions[name], `${name} of ${about}`).to.deep.equal({ state, firings, unsent });
      }
    }
    console.log(`      ${STORIES} stories, ${receiver.got.length} webhooks, ${api.kills} kills`);
    expect(api.kills).to.be.greaterThan(STORIES);
  });
});

/** Returns a story whose steps have times of their own, for the model. */
function ticking(story: Story): Story {
  return { ...story, steps: story.steps.map((step, at) => ({ ...step, at })) };
}

function byFact(messages: readonly PlainMessage[]): PlainMessage[] {
  return inOrder(messages).toSorted(
    (a, b) => a.subscription.localeCompare(b.subscription) || a.fact! - b.fact!,
  );
}

/** Compares messages. The service's times are real ones: those of one period have one `since`, the time of its first fact. */
function expectSame(sent: readonly PlainMessage[], expected: readonly PlainMessage[], about: string): void {
  const untimed = (messages: readonly PlainMessage[]) => messages.map((one) => ({ ...one, at: 0, since: 0 }));
  expect(untimed(sent), about).to.deep.equal(untimed(expected));
  for (const [index, { subscription, since, isStated }] of expected.entries()) {
    if (!isStated) continue;
    const first = expected.findIndex((one) => one.subscription === subscription && one.since === since);
    expect(sent[index]!.since, about).to.equal(sent[first]!.since);
    if (expected[first]!.at === since) expect(sent[first]!.since, about).to.equal(sent[first]!.at);
  }
}
