import { openExchange } from './exchange.js';
import type { BrokerRequest, Exchange } from './exchange.js';
import { creationFailure, malformed, refusal } from './failures.js';
import type { AdapterOptions, Broker, BrokerSubscription, Granted } from './port.js';
import { lastSegment, ldSubscriptionId, newMark } from './subscription-id.js';

const PATH = '/ngsi-ld/v1/subscriptions';

/** A URI: the form that NGSI-LD requires of an entity's id. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * Adapter of NGSI-LD (ETSI GS CIM 009). The service chooses a subscription's id: `urn:ngsi-ld:Subscription:` and 24
 * hexadecimal digits. `Granted.id` is the digits alone, since the policy API cannot have a URI in a path; the adapter
 * adds the prefix. The known id also serves to remove a subscription whose creation was not answered.
 *
 * An entity id that is not a URI becomes `urn:ngsi-ld:{entityType}:{entityId}`, the usual form in NGSI-LD.
 */
export function ngsiLd({ url, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const expiry = (): number => now() + durationS * 1000;

  return {
    async subscribe(subscription, id = newMark()) {
      const expiresAt = expiry();
      try {
        await create(exchange, subscription, ldSubscriptionId(id), expiresAt);
        return { id, expiresAt };
      } catch (error) {
        throw await creationFailure(error, () => retract(exchange, id, subscription));
      }
    },

    async renew(id, subscription): Promise<Granted | undefined> {
      const expiresAt = expiry();
      const request: BrokerRequest = {
        method: 'PATCH',
        path: pathOf(ldSubscriptionId(id)),
        body: { type: 'Subscription', notification: notificationOf(subscription), expiresAt: iso(expiresAt) },
        secrets: Object.values(subscription.headers),
      };
      const answer = await exchange.send(request);
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw refusal(answer, request);
      return { id, expiresAt };
    },

    retract: (mark, subscription) => retract(exchange, mark, subscription),

    async unsubscribe(id) {
      await remove(exchange, ldSubscriptionId(id));
    },

    async close() {
      exchange.close();
    },
  };
}

async function create(
  exchange: Exchange,
  subscription: BrokerSubscription,
  id: string,
  expiresAt: number,
): Promise<void> {
  const { entityId, entityType, attributes, headers } = subscription;
  const entity = URI.test(entityId) ? entityId : `urn:ngsi-ld:${entityType}:${entityId}`;
  const body = {
    id,
    type: 'Subscription',
    entities: [{ id: entity, type: entityType }],
    watchedAttributes: attributes,
    notification: notificationOf(subscription),
    expiresAt: iso(expiresAt),
  };
  const request: BrokerRequest = { method: 'POST', path: PATH, body, secrets: Object.values(headers) };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  if (answer.status !== 201) throw malformed(`${answer.status} for a new subscription`);
  const given = lastSegment(answer.headers.get('location'));
  if (given === undefined || given === id) return;
  // Notifications would carry the broker's own id, which the service does not know.
  await remove(exchange, given).catch(() => {});
  throw malformed('another id than the one chosen for the new subscription');
}

/** Removes the subscription whose id is the mark. */
async function retract(
  exchange: Exchange,
  mark: string,
  { headers }: BrokerSubscription,
): Promise<readonly string[]> {
  return (await remove(exchange, ldSubscriptionId(mark), Object.values(headers))) ? [mark] : [];
}

/** Returns true if the subscription existed. */
async function remove(exchange: Exchange, id: string, secrets: readonly string[] = []): Promise<boolean> {
  const request: BrokerRequest = { method: 'DELETE', path: pathOf(id), secrets };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
  return answer.status !== 404;
}

function notificationOf({ callback, headers, attributes }: BrokerSubscription) {
  const receiverInfo = Object.entries(headers).map(([key, value]) => ({ key, value }));
  const endpoint = { uri: callback, accept: 'application/json' };
  return {
    attributes,
    format: 'normalized',
    endpoint: receiverInfo.length === 0 ? endpoint : { ...endpoint, receiverInfo },
  };
}

/** Leaves colons as they are: paths may contain them, and not every broker decodes them. */
function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
