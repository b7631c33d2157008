import type { RefusedDelivery } from '../../delivery/delivery.js';
import { timeOfMessageId } from '../../delivery/message-id.js';
import { stepped } from '../state/state-machine.js';
import {
  storedState,
  type SubscriptionState,
  type SubscriptionStates,
  stateFrom,
} from '../state/subscription-state.js';
import { alertId } from './alert-messages.js';
import type { ServerContext } from './server-context.js';

/**
 * Returns the subscription states of a server after the receiver of a subscription refused a message: it counts as not sent. Nothing
 * changes if a later message has taken its place.
 */
export function withoutRefusedMessage(
  context: ServerContext,
  subscriptionId: string,
  { deliveryId, factId }: RefusedDelivery,
): SubscriptionStates | undefined {
  const { subscriptions, states } = context;
  const index = subscriptions.findIndex(({ id }) => id === subscriptionId);
  const current = stateFrom(states?.[index]);
  if (states === undefined || current === undefined) return states;
  if (factId === null && !isLastNoData(context, subscriptionId, current, deliveryId)) return states;
  const { after } = stepped(current, { type: 'refused', factId });
  return states.map((one, i) => (i === index ? storedState(after) : one));
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
