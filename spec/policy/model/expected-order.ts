import { expect } from 'chai';
import type { EmailMessage } from '../../../src/delivery/port.js';
import { mailedMessage, type MailedMessage, mailOf } from './mailed-message.js';
import type { PlainMessage, Story } from './story.js';

/** An attempt at a receiver that has read the message. */
export interface Attempted<M> {
  readonly id: string;
  readonly message: M;
  /** Whether it is the last one of its message. */
  readonly isOver: boolean;
}

/** All attempts of a story, in the order of time. */
export interface Tried {
  readonly webhooks: readonly Attempted<PlainMessage>[];
  readonly mails: readonly Attempted<Pick<EmailMessage, 'facts'>>[];
}

/** Compares the webhooks in the order of their first and of their last attempts. Those without a state have no order. */
export function expectOrder(
  attempts: readonly Attempted<PlainMessage>[],
  messages: readonly PlainMessage[],
): void {
  for (const all of [firstOf(attempts), firstOf(attempts.filter(({ isOver }) => isOver))]) {
    const got = all.map(({ message }) => message);
    expect(stated(got)).to.deep.equal(stated(messages));
    expect(unstated(got)).to.deep.equal(unstated(messages));
  }
}

/** Compares the mails of the rules of a story that send them. */
export function expectMails(
  { webhooks, mails }: Tried,
  story: Story,
  messages: readonly PlainMessage[],
): void {
  const rules = new Map(
    story.steps.flatMap((step) => (step.do === 'subscribe' ? [[step.subscription, step.rule]] : [])),
  );
  const subscriptions = new Map(webhooks.map(({ id, message }) => [`${id}_mail`, message.subscription]));
  const mailed = messages.filter(({ subscription }) => story.mailed?.includes(rules.get(subscription)!));
  for (const all of [firstOf(mails), firstOf(mails.filter(({ isOver }) => isOver))]) {
    const got = all.map(({ id, message }) => mailedMessage(subscriptions.get(id)!, message));
    const isStated = ({ facts }: MailedMessage): boolean => facts['State'] !== undefined;
    expect(got.filter(isStated).toSorted(bySubscription)).to.deep.equal(stated(mailed).map(mailOf));
    expect(
      got
        .filter((one) => !isStated(one))
        .map(textOf)
        .toSorted(),
    ).to.deep.equal(unstated(mailed).map(mailOf).map(textOf).toSorted());
  }
}

const textOf = (mail: MailedMessage): string =>
  JSON.stringify([mail.subscription, Object.entries(mail.facts).toSorted(([a], [b]) => a.localeCompare(b))]);

/** Returns the first attempt of each message. */
function firstOf<M>(attempts: readonly Attempted<M>[]): readonly Attempted<M>[] {
  const ids = new Set<string>();
  return attempts.filter(({ id }) => !ids.has(id) && ids.add(id));
}

const bySubscription = (
  a: Pick<PlainMessage, 'subscription'>,
  b: Pick<PlainMessage, 'subscription'>,
): number => a.subscription.localeCompare(b.subscription);

/** Returns the messages with a state, by subscription, in their order. */
const stated = (messages: readonly PlainMessage[]) =>
  messages.filter(({ isStated }) => isStated).toSorted(bySubscription);

const unstated = (messages: readonly PlainMessage[]) =>
  messages
    .filter(({ isStated }) => !isStated)
    .map((one) => ({ ...one, since: null }))
    .toSorted((a, b) => bySubscription(a, b) || a.fact! - b.fact!);
