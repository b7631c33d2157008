import { earliest, renewalTime, renewDue } from './broker-leases.js';
import type { LapseEffect, ServerContext, ServerEvent } from './server-context.js';

type WakeEvent = Extract<ServerEvent, { type: 'wake' }>;

/** Renews the leases that expire soon, and has the subscriptions without measurements compared with their rules. */
export function wake(context: ServerContext, event: WakeEvent): Partial<ServerContext> {
  const renewal = renewDue(context, event);
  const { lapseAt } = context;
  if (lapseAt === undefined) return renewal;
  const { outbox = context.outbox, wakeAt = context.wakeAt } = renewal;
  if (lapseAt > event.now) return { ...renewal, wakeAt: earliest([wakeAt, lapseAt]) };
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
