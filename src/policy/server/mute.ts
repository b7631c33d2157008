import { withReplaced } from './broker-leases.js';
import type { ServerContext, ServerEvent, Subscription } from './server-context.js';
import { unknownSubscription } from './server-decisions.js';

type Change = Partial<ServerContext>;
type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/**
 * Mutes a subscription until a time, which replaces the end of an earlier mute. Throws `Refusal('not-found')` for an unknown subscription.
 */
export function mute(context: ServerContext, { subscriptionId, until }: EventOf<'mute'>): Change {
  const known = subscriptionIn(context, subscriptionId);
  const muted: Subscription = { ...known, mutedUntil: until };
  return { subscriptions: withReplaced(context.subscriptions, known, muted), reply: undefined };
}

/** Ends the mute of a subscription, if any. Throws `Refusal('not-found')` for an unknown subscription. */
export function unmute(context: ServerContext, { subscriptionId }: EventOf<'unmute'>): Change {
  const known = subscriptionIn(context, subscriptionId);
  if (known.mutedUntil === undefined) return { reply: undefined };
  const { mutedUntil: _, ...audible } = known;
  return { subscriptions: withReplaced(context.subscriptions, known, audible), reply: undefined };
}

function subscriptionIn({ subscriptions }: ServerContext, subscriptionId: string): Subscription {
  const known = subscriptions.find(({ id }) => id === subscriptionId);
  if (known === undefined) throw unknownSubscription(subscriptionId);
  return known;
}
