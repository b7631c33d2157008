import { type Exchange, openExchange } from './exchange.js';
import type { BrokerRequest } from './request.js';
import { creationFailure, malformed, refusal } from './failures.js';
import type { AdapterOptions, Broker, BrokerSubscription, Granted } from './port.js';
import { lastSegment, ldSubscriptionId, newMark } from './subscription-id.js';
import { isoOf } from '../system/iso.js';

const PATH = '/ngsi-ld/v1/subscriptions';

const JSON_LD_CONTEXT = 'rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"';

/** A URI: the form that NGSI-LD requires of an entity's id. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * Adapter of NGSI-LD (ETSI GS CIM 009). The service chooses a subscription's id: `urn:ngsi-ld:Subscription:` and 24
 * hexadecimal digits. `Granted.id` is the digits alone, since the policy API cannot have a URI in a path; the adapter
 * adds the prefix. The known id also serves to remove a subscription whose creation was not answered.
 *
 * An entity id that is not a URI becomes `urn:ngsi-ld:{entityType}:{entityId}`, the usual form in NGSI-LD.
 */
export function ngsiLd({ url, context, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const expiry = (): number => now() + durationS * 1000;
  const link: Record<string, string> =
    context === undefined ? {} : { link: `<${context}>; ${JSON_LD_CONTEXT}` };
  const headersFor = (tenant: string | undefined): Record<string, string> =>
    tenant === undefined ? link : { ...link, 'ngsild-tenant': tenant };
  const about = ({ tenant, headers }: BrokerSubscription): RequestOptions => ({
    headers: headersFor(tenant),
    secrets: Object.values(headers),
  });

  return {
    async subscribe(subscription, id = newMark()) {
      const expiresAt = expiry();
      try {
        const expiring = { ...contentOf(subscription), expiresAt: isoOf(expiresAt) };
        await create(exchange, { id: ldSubscriptionId(id), ...expiring }, about(subscription));
        return { id, expiresAt };
      } catch (error) {
        throw await creationFailure(error, () => retract(exchange, id, about(subscription)));
      }
    },

    async renew(id, subscription): Promise<Granted | undefined> {
      const expiresAt = expiry();
      const request: BrokerRequest = {
        ...about(subscription),
        method: 'PATCH',
        path: pathOf(ldSubscriptionId(id)),
        body: { ...contentOf(subscription), expiresAt: isoOf(expiresAt) },
      };
      const answer = await exchange.send(request);
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw refusal(answer, request);
      return { id, expiresAt };
    },

    retract: (mark, subscription) => retract(exchange, mark, about(subscription)),

    async unsubscribe(id, tenant) {
      await remove(exchange, ldSubscriptionId(id), { headers: headersFor(tenant) });
    },

    async close() {
      exchange.close();
    },
  };
}

type RequestOptions = Pick<BrokerRequest, 'headers' | 'secrets'>;

async function create(
  exchange: Exchange,
  body: { readonly id: string },
  options: RequestOptions,
): Promise<void> {
  const request: BrokerRequest = { ...options, method: 'POST', path: PATH, body };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  if (answer.status !== 201) throw malformed(`${answer.status} for a new subscription`);
  const given = lastSegment(answer.headers.get('location'));
  if (given === undefined || given === body.id) return;
  // Notifications would carry the broker's own id, which the service does not know.
  await remove(exchange, given, options).catch(() => {});
  throw malformed('another id than the one chosen for the new subscription');
}

/** Removes the subscription whose id is the mark. */
async function retract(
  exchange: Exchange,
  mark: string,
  options: RequestOptions,
): Promise<readonly string[]> {
  return (await remove(exchange, ldSubscriptionId(mark), options)) ? [mark] : [];
}

/** Returns true if the subscription existed. */
async function remove(exchange: Exchange, id: string, options: RequestOptions): Promise<boolean> {
  const request: BrokerRequest = { ...options, method: 'DELETE', path: pathOf(id) };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
  return answer.status !== 404;
}

/** Returns what a creation and a renewal have in common: a renewal brings an older subscription up to date. */
function contentOf({ entityId, entityType, attributes, callback, headers }: BrokerSubscription) {
  const entity = URI.test(entityId) ? entityId : `urn:ngsi-ld:${entityType}:${entityId}`;
  const receiverInfo = Object.entries(headers).map(([key, value]) => ({ key, value }));
  const endpoint = { uri: callback, accept: 'application/json' };
  return {
    type: 'Subscription',
    entities: [{ id: entity, type: entityType }],
    watchedAttributes: attributes,
    notification: {
      attributes,
      format: 'normalized',
      // The times of the attributes: a notification has all of them, whichever was updated.
      sysAttrs: true,
      endpoint: receiverInfo.length === 0 ? endpoint : { ...endpoint, receiverInfo },
    },
  };
}

/** Leaves colons as they are: paths may contain them, and not every broker decodes them. */
function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
}
