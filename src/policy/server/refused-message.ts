import type { RefusedDelivery } from '../../delivery/delivery.js';
import { timeOfMessageId } from '../../delivery/message-id.js';
import { stepped } from '../watch/watch-machine.js';
import { storedWatch, type Watch, type Watches, watchOf } from '../watch/watch.js';
import { alertId } from './alert-messages.js';
import type { ServerContext } from './server-context.js';

/**
 * Returns the watches of a server after the receiver of a subscription refused a message: it counts as not sent. Nothing
 * changes if a later message has taken its place.
 */
export function withoutRefusedMessage(
  context: ServerContext,
  subscriptionId: string,
  { deliveryId, factId }: RefusedDelivery,
): Watches | undefined {
  const { subscriptions, watches } = context;
  const index = subscriptions.findIndex(({ id }) => id === subscriptionId);
  const watch = watchOf(watches?.[index]);
  if (watches === undefined || watch === undefined) return watches;
  if (factId === null && !isLastNoData(context, subscriptionId, watch, deliveryId)) return watches;
  const { watch: after } = stepped(watch, { type: 'refused', factId });
  return watches.map((one, i) => (i === index ? storedWatch(after) : one));
}

/** True for the id of the `noData` of the present lack of measurements: an older one is of one that is over. */
function isLastNoData(
  { address }: ServerContext,
  subscriptionId: string,
  { silentSince }: Watch,
  deliveryId: string,
): boolean {
  if (silentSince === undefined) return false;
  const id = alertId({
    tenantId: address.tenant,
    serverId: address.name,
    subscriptionId,
    factId: null,
    firedAt: timeOfMessageId(deliveryId),
    since: silentSince === 0 ? undefined : silentSince,
  });
  return id === deliveryId;
}
