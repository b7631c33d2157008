import type { Got } from '../../delivery/senders/receiver.js';
import type { PlainMessage } from './story.js';

/** The members of a webhook's body that the model decides. */
interface Body {
  readonly factId: number | null;
  readonly measures: Readonly<Record<string, number>>;
  readonly firedAt: string;
  readonly state?: PlainMessage['state'];
  readonly since?: string | null;
}

/** Returns the message of a webhook. The last part of its url is the name of the subscription in the story. */
export function messageOf({ url, body }: Pick<Got, 'url' | 'body'>): PlainMessage {
  const { factId, measures, firedAt, state, since } = JSON.parse(body) as Body;
  return {
    subscription: url.split('/').at(-1)!,
    at: Date.parse(firedAt),
    state: state ?? 'firing',
    fact: factId,
    since: since === undefined || since === null ? null : Date.parse(since),
    measures,
    isStated: state !== undefined && since !== undefined,
  };
}

/**
 * Returns messages in an order that does not depend on their arrival: by subscription, time and fact, `noData` first.
 * `since` of a message without that member is null.
 */
export function inOrder(messages: readonly PlainMessage[]): PlainMessage[] {
  return messages
    .map((one) => ({ ...one, since: one.isStated ? one.since : null }))
    .toSorted(
      (a, b) => a.subscription.localeCompare(b.subscription) || a.at - b.at || (a.fact ?? 0) - (b.fact ?? 0),
    );
}
