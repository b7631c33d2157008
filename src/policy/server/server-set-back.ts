import { isAhead, notAhead } from '../../actors/clock-set-back.js';
import { stateAfterSetBack } from '../state/state-set-back.js';
import { minuteOf, timeOf } from '../windows/trend-minute.js';
import { windowsAfterSetBack } from '../windows/window.js';
import type { ServerContext, ServerEffect } from './server-context.js';
import { wakeTime } from './wake.js';
import type { BrokerLease, Subscription } from '../state/subscription.js';
import type { SentMails } from '../alerts/outgoing-messages.js';

/**
 * Returns the context of a server with the times that lie in the future of `now` as times of now: the clock was set back. The
 * same context if there are none. What is planned is planned anew: the server wakes at once.
 */
export function serverAfterSetBack(context: ServerContext, now: number): ServerContext {
  const windows = windowsAfterSetBack(context.windows, now);
  const states = mapped(context.states, (current) => stateAfterSetBack(current, now));
  const subscriptions = mapped(context.subscriptions, (one) => subscriptionAfterSetBack(one, now));
  const outbox = mapped(context.outbox, (entry) => effectAfterSetBack(entry, now));
  const mail = mailAfterSetBack(context.mail, now);
  const trend = trendAfterSetBack(context.trend, now);
  const isSame =
    windows === context.windows &&
    states === context.states &&
    subscriptions === context.subscriptions &&
    outbox === context.outbox &&
    mail === context.mail &&
    trend === context.trend &&
    !isAhead(context.plannedAt ?? 0, now);
  if (isSame) return context;
  const noDataAt = context.noDataAt === undefined ? undefined : Math.min(context.noDataAt, now);
  const changed = { ...context, windows, states, subscriptions, outbox, mail, trend, noDataAt };
  return { ...changed, wakeAt: wakeTime(changed), plannedAt: now };
}

function subscriptionAfterSetBack(subscription: Subscription, now: number): Subscription {
  const { at, broker, mutedAt, mutedUntil } = subscription;
  const isLate = (time: number | undefined): boolean => time !== undefined && isAhead(time, now);
  if (!isLate(at) && !isLate(broker?.checkedAt) && !isLate(mutedAt)) return subscription;
  return {
    ...subscription,
    at: notAhead(at, now),
    ...(isLate(mutedAt) ? { mutedAt: now, mutedUntil: now + (mutedUntil! - mutedAt!) } : {}),
    ...(isLate(broker?.checkedAt) ? { broker: leaseFrom(broker!, now) } : {}),
  };
}

function leaseFrom({ id, expiresAt, checkedAt }: BrokerLease, now: number): BrokerLease {
  const lease = { id, checkedAt: now };
  return expiresAt === undefined ? lease : { ...lease, expiresAt: now + (expiresAt - checkedAt!) };
}

function effectAfterSetBack(entry: ServerEffect, now: number): ServerEffect {
  if (entry.type !== 'intend' && entry.type !== 'retract') return entry;
  return isAhead(entry.at, now) ? { ...entry, at: now } : entry;
}

/** What came in the minute that lies in the future counts as of now. The trend drops closed minutes in the future. */
function trendAfterSetBack(trend: ServerContext['trend'], now: number): ServerContext['trend'] {
  if (trend === undefined || !isAhead(timeOf(trend[0]!), now)) return trend;
  return [minuteOf(now), ...trend.slice(1)];
}

function mailAfterSetBack(mail: ServerContext['mail'], now: number): ServerContext['mail'] {
  const all = Object.entries(mail);
  if (!all.some(([, { at = 0 }]) => isAhead(at, now))) return mail;
  const set = (sent: SentMails): SentMails =>
    sent.at === undefined ? sent : { ...sent, at: notAhead(sent.at, now) };
  return Object.fromEntries(all.map(([id, sent]) => [id, set(sent)]));
}

/** Returns the same list if no member changes. */
function mapped<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  let changed: T[] | undefined;
  for (let i = 0; i < list.length; i += 1) {
    const one = list[i]!;
    const next = change(one);
    if (next !== one) (changed ??= [...list])[i] = next;
  }
  return changed ?? list;
}
