import { expect } from 'chai';
import fc from 'fast-check';
import { expectMails, expectOrder } from './expected-order.js';
import { plainModel } from './plain-model.js';
import { beginningAt } from './random-stories.js';
import { simulate, type Simulated } from './simulated-player.js';
import type { PlainTransition } from './story.js';
import { troubledStories } from './troubled-stories.js';
import { cases } from '../../cases.js';

/** All of them with STORIES=2000 in the environment. */
const STORIES = Number(process.env['STORIES'] ?? cases(60, 20));
/** Stories of one property: properties end in time. */
const AT_ONCE = 20;
const BEGIN = Date.parse('2026-11-23T12:00:00Z');

describe('random stories with outages, mutes, acknowledgements, suspensions, restarts and kills', function () {
  this.timeout(Math.max(600, STORIES) * 1_000);

  it('have the messages of the plain model, in its order, at receivers and in the mailbox', async () => {
    const figures = { stories: 0, messages: 0, mails: 0, unsent: 0, refused: 0, acknowledged: 0 };
    const property = fc.asyncProperty(troubledStories(), fc.nat(), async (random, seed) => {
      const played = await simulate(beginningAt(random, BEGIN), seed);
      const { messages, transitions, subscriptions } = plainModel(played.story);
      expectOrder(played.webhooks, messages);
      expectMails(played, played.story, messages);
      for (const [name, summary] of Object.entries(subscriptions)) {
        const { state, since, suspended, acknowledgedAt, firings, unsent } = summary;
        const notified = { state, since, suspended, acknowledgedAt, firings, unsent };
        expect(played.subscriptions[name], name).to.deep.include(notified);
        figures.unsent += unsent;
      }
      expectHistory(played, transitions);
      figures.stories += 1;
      figures.messages += messages.length;
      figures.mails += played.mails.length;
      figures.acknowledged += played.story.steps.filter((step) => step.do === 'acknowledge').length;
      figures.refused += played.story.steps.filter((step) => step.do === 'refused').length;
    });
    for (let i = 0; i < STORIES; i += AT_ONCE)
      await fc.assert(property, { numRuns: AT_ONCE, plugins: [fc.unbiased()] });
    console.log(`      ${JSON.stringify(figures)}`);
  });
});

/** Compares the newest transitions. What explains the last one of a subscription is what explain says still. */
function expectHistory(played: Simulated, transitions: readonly PlainTransition[]): void {
  const kept = played.transitions.map(({ at, subscription, from, to, fact }) => {
    return { at, subscription, from, to, fact };
  });
  expect(kept).to.deep.equal(transitions.slice(-played.transitions.length));
  expect(kept.length).to.be.at.least(Math.min(200, transitions.length));
  const facts = played.story.steps.flatMap((step) => (step.do === 'facts' ? step.facts : [])).length;
  for (const [name, { state, sentence }] of Object.entries(played.subscriptions)) {
    const last = played.transitions.findLast(({ subscription }) => subscription === name);
    if (last?.fact !== facts || last.to !== state || state === 'filling') continue;
    expect(unhindered(last.sentence)).to.equal(unhindered(sentence));
  }
}

const unhindered = (sentence: string): string => sentence.replace(/^(Muted|Suspended) .*\. (?=[A-Z])/, '');
