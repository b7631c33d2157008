import { earliest, renewalTime, renewDue } from './broker-leases.js';
import type { LapseEffect, ServerContext, ServerEvent } from './server-context.js';

type WakeEvent = Extract<ServerEvent, { type: 'wake' }>;

/** Renews the leases that expire soon, and has the subscriptions without measurements compared with their rules. */
export function wake(context: ServerContext, event: WakeEvent): Partial<ServerContext> {
  const renewal = renewDue(context, event);
  const { lapseAt } = context;
  if (lapseAt === undefined) return renewal;
  if (lapseAt > event.now) {
    // Of a wake-up that is over, only the next renewal is left.
    const wakeAt = 'wakeAt' in renewal ? renewal.wakeAt : context.wakeAt;
    return { ...renewal, wakeAt: earliest([wakeAt, lapseAt]) };
  }
  const { outbox = context.outbox } = renewal;
  const entry: LapseEffect = { id: 'lapse', type: 'lapse' };
  return {
    outbox: outbox.some(({ id }) => id === entry.id) ? outbox : [...outbox, entry],
    lapseAt: undefined,
    wakeAt: renewal.wakeAt,
  };
}

/** Returns when a server wakes up, ms since the epoch; undefined: never. */
export function wakeTime({
  subscriptions,
  lapseAt,
}: Pick<ServerContext, 'subscriptions' | 'lapseAt'>): number | undefined {
  return earliest([renewalTime(subscriptions), lapseAt]);
}
