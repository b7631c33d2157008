import type { SubscriptionOwner } from '../../delivery/endpoint/endpoint-kind.js';
import type { AboutSubscription } from '../../delivery/delivery.js';
import type { Address } from '../../store/port.js';
import type { ServerContext, ServerEvent } from '../server/server-context.js';
import { serverAddress } from '../server/server-kind.js';

/** Makes the servers' side of endpoints: an endpoint suspends its subscription and asks whether it still exists. */
export function subscriptionOwner(now: () => number): SubscriptionOwner {
  const serverOf = ({ tenant, server }: AboutSubscription): Address => serverAddress(tenant, server);
  return {
    async suspend(actors, subscription, since, refused) {
      const { subscriptionId } = subscription;
      const event: ServerEvent = { type: 'suspend', now: now(), subscriptionId, since, refused };
      await actors.ask(serverOf(subscription), event);
    },
    async has(actors, subscription) {
      const view = await actors.read<ServerContext>(serverOf(subscription));
      return view?.context.subscriptions.some(({ id }) => id === subscription.subscriptionId) ?? false;
    },
  };
}
