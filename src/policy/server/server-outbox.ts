import type { ServerContext, ServerEffect } from './server-context.js';

/** Most subscriptions that one server may have. */
export const SUBSCRIPTIONS_LIMIT = 1_000;
/** How many ended subscriptions at a broker a server remembers: as many as the removal of a rule can end. */
const ENDED_LIMIT = SUBSCRIPTIONS_LIMIT;

/** An outbox without one of its entries. */
export function without(outbox: readonly ServerEffect[], entryId: string): readonly ServerEffect[] {
  return outbox.filter((entry) => entry.id !== entryId);
}

/** The end of a subscription at the broker. */
export function unsubscribing(brokerId: string): ServerEffect {
  return { id: `unsubscribe:${brokerId}`, type: 'unsubscribe', brokerId };
}

/** What a server is with the end of a subscription at the broker on its way. */
export function discarding(context: ServerContext, brokerId: string): Partial<ServerContext> {
  const entry = unsubscribing(brokerId);
  return { outbox: [...without(context.outbox, entry.id), entry], ended: remembering(context, [brokerId]) };
}

/** The ids of ended subscriptions at the broker, with new ones. */
export function remembering(context: ServerContext, brokerIds: readonly string[]): readonly string[] {
  return brokerIds.length === 0 ? context.ended : [...context.ended, ...brokerIds].slice(-ENDED_LIMIT);
}
