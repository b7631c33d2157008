import { earliest, endOfMute, renewalTime, renewDue } from './broker-leases.js';
import type { Change, EventOf, ServerContext, ServerEffect } from './server-context.js';
import { type Subscription, withoutMute } from '../state/subscription.js';

/**
 * Renews the leases that expire soon, ends the mutes that are over, and has the subscriptions without measurements compared with
 * their rules.
 */
export function wake(context: ServerContext, event: EventOf<'wake'>): Change {
  const renewal = renewDue(context, event);
  const subscriptions = withoutPastMutes(context.subscriptions, event.now);
  const { outbox = context.outbox } = renewal;
  const { noDataAt } = context;
  const isDue = noDataAt !== undefined && noDataAt <= event.now;
  const entry: ServerEffect = { id: 'noDataTimeout', type: 'noDataTimeout' };
  // Without a renewal the time of the next one is not known here, only that something is planned.
  const planned = 'wakeAt' in renewal ? renewal.wakeAt : context.wakeAt;
  return {
    ...renewal,
    subscriptions,
    ...(isDue ? { noDataAt: undefined } : {}),
    outbox: !isDue || outbox.some(({ id }) => id === entry.id) ? outbox : [...outbox, entry],
    wakeAt: earliest([planned, isDue ? undefined : noDataAt, endOfMute(subscriptions)]),
  };
}

/** Returns when a server wakes up, ms since the epoch; undefined: never. */
export function wakeTime({
  subscriptions,
  noDataAt,
}: Pick<ServerContext, 'subscriptions' | 'noDataAt'>): number | undefined {
  return earliest([renewalTime(subscriptions), noDataAt, endOfMute(subscriptions)]);
}

/** A mute that is over must not come back when the clock is set back. */
function withoutPastMutes(subscriptions: readonly Subscription[], now: number): readonly Subscription[] {
  const isPast = ({ mutedUntil }: Subscription): boolean => mutedUntil !== undefined && mutedUntil <= now;
  return subscriptions.some(isPast)
    ? subscriptions.map((one) => (isPast(one) ? withoutMute(one) : one))
    : subscriptions;
}
