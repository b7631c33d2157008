import { earliest, withReplaced } from './broker-leases.js';
import type { ServerContext, ServerEvent, Subscription } from './server-context.js';
import { unknownSubscription } from './server-decisions.js';
import { wakeForUnsent } from './no-data.js';
import { withoutMute } from './subscribed-rules.js';

type Change = Partial<ServerContext>;
type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/**
 * Mutes a subscription until a time, which replaces the end of an earlier mute. Throws `Refusal('not-found')` for an unknown subscription.
 */
export function mute(context: ServerContext, { subscriptionId, until, now }: EventOf<'mute'>): Change {
  const known = subscriptionIn(context, subscriptionId);
  return {
    ...replacing(context, known, { ...known, mutedUntil: until, mutedAt: now }, now),
    reply: undefined,
  };
}

/** Ends the mute of a subscription, if any. Throws `Refusal('not-found')` for an unknown subscription. */
export function unmute(context: ServerContext, { subscriptionId, now }: EventOf<'unmute'>): Change {
  const known = subscriptionIn(context, subscriptionId);
  if (known.mutedUntil === undefined) return { reply: undefined };
  const unmuted = withoutMute(known);
  return { ...replacing(context, known, unmuted, now), reply: undefined };
}

/** The server wakes at the end of a mute. */
function replacing(context: ServerContext, known: Subscription, by: Subscription, now: number): Change {
  const subscriptions = withReplaced(context.subscriptions, known, by);
  const { wakeAt = context.wakeAt, ...change } = wakeForUnsent(context, by, now);
  return { subscriptions, ...change, wakeAt: earliest([wakeAt, by.mutedUntil]) };
}

function subscriptionIn({ subscriptions }: ServerContext, subscriptionId: string): Subscription {
  const known = subscriptions.find(({ id }) => id === subscriptionId);
  if (known === undefined) throw unknownSubscription(subscriptionId);
  return known;
}
