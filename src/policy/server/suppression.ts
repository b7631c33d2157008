import { without } from '../../actors/outbox.js';
import { timeOfMessageId } from '../../delivery/message-id.js';
import { Refusal } from '../../errors.js';
import { alertId } from '../alerts/alert-messages.js';
import { stepped } from '../state/state-machine.js';
import { stateFrom, storedState, type SubscriptionState } from '../state/subscription-state.js';
import { type Subscription, withoutMute } from '../state/subscription.js';
import { earliest, withReplaced } from './broker-leases.js';
import { wakeForUnsent } from './no-data.js';
import type { Change, EventOf, ServerContext } from './server-context.js';

/**
 * Mutes a subscription until a time, which replaces the end of an earlier mute. Throws `Refusal('not-found')` for an
 * unknown subscription.
 */
export function mute(context: ServerContext, event: EventOf<'mute'>): Change {
  const { subscriptionId, until, by, comment, now } = event;
  const known = subscriptionIn(context, subscriptionId);
  const muted = { ...known, mutedUntil: until, mutedAt: now, muter: by, muteComment: comment };
  return replacing(context, known, muted, now);
}

/** Ends the mute of a subscription, if any. Throws `Refusal('not-found')` for an unknown subscription. */
export function unmute(context: ServerContext, { subscriptionId, now }: EventOf<'unmute'>): Change {
  const known = subscriptionIn(context, subscriptionId);
  return known.mutedUntil === undefined ? {} : replacing(context, known, withoutMute(known), now);
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

/** Returns the refusal for a subscription id that the server does not have. */
export function unknownSubscription(subscriptionId: string): Refusal {
  return new Refusal('not-found', `subscriptionId: no subscription ${subscriptionId} on this server`);
}

/**
 * Stops the messages of a subscription. The message whose refusal suspends it counts as not sent. A repeated event of a
 * suspension that already ended changes nothing.
 */
export function suspend(context: ServerContext, event: EventOf<'suspend'>): Change {
  const { subscriptionId, since, refused } = event;
  const known = context.subscriptions.find((one) => one.id === subscriptionId);
  if (known === undefined || known.suspended !== undefined || known.lifted === since) return {};
  const subscriptions = withReplaced(context.subscriptions, known, { ...known, suspended: since });
  const { deliveryId, factId } = refused;
  const index = context.subscriptions.indexOf(known);
  const current = stateFrom(context.states[index]);
  if (current === undefined) return { subscriptions };
  // A later message has taken its place.
  if (factId === null && !isLastNoData(context, subscriptionId, current, deliveryId))
    return { subscriptions };
  const { after } = stepped(current, { type: 'refused', factId });
  return { subscriptions, states: context.states.with(index, storedState(after)) };
}

/** Resumes a suspended subscription. Replies with it. */
export function resuming(context: ServerContext, known: Subscription, since: number, now: number): Change {
  const { suspended: _, ...rest } = known;
  const resumed: Subscription = { ...rest, lifted: since };
  const id = `resume:${known.id}`;
  return {
    subscriptions: withReplaced(context.subscriptions, known, resumed),
    ...wakeForUnsent(context, resumed, now),
    outbox: [...without(context.outbox, id), { id, type: 'resume', subscriptionId: known.id, since }],
    reply: resumed,
  };
}

/** True for the id of the `noData` of the present lack of measurements: an older one is of one that is over. */
function isLastNoData(
  { address }: ServerContext,
  subscriptionId: string,
  { noDataSince }: SubscriptionState,
  deliveryId: string,
): boolean {
  if (noDataSince === undefined) return false;
  const id = alertId({
    tenantId: address.tenant,
    serverId: address.name,
    subscriptionId,
    factId: null,
    firedAt: timeOfMessageId(deliveryId),
    since: noDataSince === 0 ? undefined : noDataSince,
  });
  return id === deliveryId;
}
