import { without } from '../../actors/outbox.js';
import type { Change, EventOf, EffectOf, ServerContext, ServerEffect } from './server-context.js';
import type { Subscription } from '../state/subscription.js';

/** Maximum number of subscriptions of a server. */
export const SUBSCRIPTIONS_LIMIT = 1_000;
/** Maximum number of ended leases in the context: the removal of a rule can end as many. */
const ENDED_LIMIT = SUBSCRIPTIONS_LIMIT;

/** A lease is renewed so long before it expires, ms. */
const RENEW_AHEAD_MS = 60 * 60 * 1000;
/** A lease is renewed so long after the last time, ms: within an hour it is noticed if the broker has lost it. */
const CHECK_MS = 50 * 60 * 1000;
/** Minimum time between two renewals, ms: a broker may grant less than `RENEW_AHEAD_MS`. */
const RENEW_SOONEST_MS = 60 * 1000;
/** Time until an unfinished renewal is checked again, ms. */
const RENEW_AGAIN_MS = 10 * 60 * 1000;

/** Returns the outbox entry that ends a lease at the broker. */
export function endOfLease(brokerId: string): ServerEffect {
  return { id: `unsubscribe:${brokerId}`, type: 'unsubscribe', brokerId };
}

/** Ends one lease at the broker. Its late facts do not count any more. */
export function endLease(context: ServerContext, brokerId: string): Change {
  const entry = endOfLease(brokerId);
  return { outbox: [...without(context.outbox, entry.id), entry], ended: withEnded(context, [brokerId]) };
}

/** Returns the ids of the ended leases with new ones. Drops the oldest beyond the limit. */
export function withEnded(context: ServerContext, brokerIds: readonly string[]): readonly string[] {
  return brokerIds.length === 0 ? context.ended : [...context.ended, ...brokerIds].slice(-ENDED_LIMIT);
}

/** Returns the time of the next renewal, ms since the epoch; undefined if none is planned. */
export function renewalTime(subscriptions: readonly Subscription[]): number | undefined {
  return earliest(subscriptions.map(renewalOf));
}

/** Renews the leases that expire soon or were not checked for long. An unfinished renewal is not started twice. */
export function renewDue(context: ServerContext, event: EventOf<'wake'>): Change {
  if (context.wakeAt === undefined || context.wakeAt > event.now) return {};
  const due = context.subscriptions.filter((one) => (renewalOf(one) ?? Infinity) <= event.now);
  const renewals = due.flatMap(({ id, broker }) => renewalOfLease(context, id, broker!.id));
  const next = renewalTime(context.subscriptions.filter((one) => !due.includes(one)));
  const again = due.length > 0 ? event.now + RENEW_AGAIN_MS : undefined;
  return { outbox: [...context.outbox, ...renewals], wakeAt: earliest([next, again]) };
}

/**
 * Renews the lease of a subscription that is asked for again: the caller may miss its measurements, because the broker has
 * lost it. A lease that was checked in the last minute is not renewed.
 */
export function checkAgain(context: ServerContext, subscriptionId: string, now: number): Change {
  const broker = context.subscriptions.find(({ id }) => id === subscriptionId)?.broker;
  if (broker?.checkedAt === undefined || now < broker.checkedAt + RENEW_SOONEST_MS) return {};
  const renewals = renewalOfLease(context, subscriptionId, broker.id);
  return renewals.length === 0 ? {} : { outbox: [...context.outbox, ...renewals] };
}

/** Returns the outbox entry that renews a lease; none if there is one already. */
function renewalOfLease(
  { outbox }: ServerContext,
  subscriptionId: string,
  brokerId: string,
): readonly EffectOf<'renew'>[] {
  const id = `renew:${subscriptionId}`;
  if (outbox.some((entry) => entry.id === id)) return [];
  return [{ id, type: 'renew', subscriptionId, brokerId }];
}

/** The broker extended a lease, or granted another in place of a lost one. */
export function renewed(context: ServerContext, event: EventOf<'renewed'>): Change {
  const outbox = without(context.outbox, event.entryId);
  const known = context.subscriptions.find((one) => one.id === event.subscriptionId);
  if (known === undefined) return endLease({ ...context, outbox }, event.broker.id);
  const lost = known.broker === undefined || known.broker.id === event.broker.id ? [] : [known.broker.id];
  const subscriptions = withReplaced(context.subscriptions, known, { ...known, broker: event.broker });
  const next = renewalTime(subscriptions);
  const renewal = next === undefined ? undefined : Math.max(next, event.now + RENEW_SOONEST_MS);
  return {
    subscriptions,
    outbox,
    wakeAt: earliest([renewal, context.noDataAt, endOfMute(subscriptions)]),
    ended: withEnded(context, lost),
  };
}

/** Replaces one subscription of the list. */
export function withReplaced(
  subscriptions: readonly Subscription[],
  old: Subscription,
  by: Subscription,
): readonly Subscription[] {
  return subscriptions.map((one) => (one === old ? by : one));
}

function renewalOf({ broker }: Subscription): number | undefined {
  return earliest([
    broker?.expiresAt && broker.expiresAt - RENEW_AHEAD_MS,
    broker?.checkedAt && broker.checkedAt + CHECK_MS,
  ]);
}

/** Returns the first end of the mutes of some subscriptions, ms since the epoch; undefined if none is muted. */
export function endOfMute(subscriptions: readonly Subscription[]): number | undefined {
  return earliest(subscriptions.map(({ mutedUntil }) => mutedUntil));
}

/** Returns the earliest of some times; undefined if none is given. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
