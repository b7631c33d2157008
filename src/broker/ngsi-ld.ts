import { malformed, openExchange, refusal } from './exchange.js';
import type { BrokerRequest, Exchange } from './exchange.js';
import { lastSegment } from './location.js';
import type { AdapterOptions } from './options.js';
import type { Broker, BrokerSubscription, Granted } from './port.js';
import { ldSubscriptionId, newMark } from './subscription-id.js';
import { unanswered } from './unanswered.js';

const PATH = '/ngsi-ld/v1/subscriptions';

/** A URI, which is what NGSI-LD takes for the id of an entity. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * NGSI-LD (ETSI GS CIM 009). The service chooses a subscription's id, `urn:ngsi-ld:Subscription:` and 24 hexadecimal
 * digits; `Granted.id` is the digits, since the policy API cannot have a URI in a path, and this adapter puts the rest
 * before it again. The same id removes a subscription whose creation was not answered.
 *
 * An entity whose id is no URI is meant as `urn:ngsi-ld:{entityType}:{entityId}`, the usual form of its id in NGSI-LD.
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
        throw await unanswered(error, () => retract(exchange, id, subscription));
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
  // A broker that chose an id of its own would name it in notifications that nobody here could tell apart.
  await remove(exchange, given).catch(() => {});
  throw malformed('another id than the one chosen for the new subscription');
}

/** The mark is the subscription's id. */
async function retract(
  exchange: Exchange,
  mark: string,
  { headers }: BrokerSubscription,
): Promise<readonly string[]> {
  return (await remove(exchange, ldSubscriptionId(mark), Object.values(headers))) ? [mark] : [];
}

/** Whether it was there. */
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

/** Colons stay: they are fit for a path, and not every broker decodes them. */
function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
