import { fiwareHeaders } from './fiware-headers.js';
import { type Exchange, openExchange } from './exchange.js';
import type { BrokerRequest } from './request.js';
import { creationFailure, malformed, refusal } from './failures.js';
import {
  removeMarked,
  removeNewest,
  removeSubscription,
  type SearchOptions,
} from './marked-subscriptions.js';
import { encodedHeaders, requireOrionCharacters } from './orion-characters.js';
import type { AdapterOptions, Broker, BrokerSubscription, Granted } from './port.js';
import { isPublicId, lastSegment, newMark } from './subscription-id.js';
import { isoOf } from '../system/iso.js';

const PATH = '/v2/subscriptions';

/** Orion notifies of every update of a watched attribute, also if its value stays the same. */
const EVERY_UPDATE = ['entityCreate', 'entityUpdate'];

/**
 * Adapter of NGSIv2 as implemented by Orion. A subscription whose creation was not answered is found by the mark in its
 * description and removed, if the broker answers by then. One created even later ends by its own expiry.
 */
export function ngsiv2({ url, servicePath, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const expiry = (): number => now() + durationS * 1000;
  const about = (subscription: BrokerSubscription): SearchOptions => ({
    headers: fiwareHeaders(subscription.tenant, servicePath),
    secrets: secretsOf(subscription),
  });

  return {
    async subscribe(subscription, mark = newMark()) {
      requireOrionCharacters(subscription, true);
      const expiresAt = expiry();
      const description = descriptionOf(mark);
      const options = about(subscription);
      try {
        const body = { description, ...contentOf(subscription), expires: isoOf(expiresAt) };
        const id = await create(exchange, { ...options, method: 'POST', path: PATH, body });
        return { id, expiresAt };
      } catch (error) {
        const deadline = performance.now() + timeoutMs;
        throw await creationFailure(error, () =>
          removeNewest(exchange, description, { ...options, deadline }),
        );
      }
    },

    async renew(id, subscription): Promise<Granted | undefined> {
      requireOrionCharacters(subscription, true);
      const expiresAt = expiry();
      const body = { ...contentOf(subscription), expires: isoOf(expiresAt) };
      const request: BrokerRequest = { ...about(subscription), method: 'PATCH', path: pathOf(id), body };
      const answer = await exchange.send(request);
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw refusal(answer, request);
      return { id, expiresAt };
    },

    retract: (mark, subscription) => removeMarked(exchange, descriptionOf(mark), about(subscription)),

    unsubscribe: (id, tenant) =>
      removeSubscription(exchange, id, { headers: fiwareHeaders(tenant, servicePath) }),

    async close() {
      exchange.close();
    },
  };
}

async function create(exchange: Exchange, request: BrokerRequest): Promise<string> {
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  const id = lastSegment(answer.headers.get('location'));
  if (answer.status !== 201 || !isPublicId(id)) throw malformed('no usable id of the new subscription');
  return id;
}

function descriptionOf(mark: string): string {
  return `Mirzam policy rules ${mark}`;
}

/** Returns what a creation and a renewal have in common: a renewal brings an older subscription up to date. */
function contentOf({ entityId, entityType, attributes, callback, headers }: BrokerSubscription) {
  const custom = Object.keys(headers).length > 0;
  const target = custom
    ? { httpCustom: { url: callback, headers: encodedHeaders(headers) } }
    : { http: { url: callback } };
  return {
    subject: {
      entities: [{ id: entityId, type: entityType }],
      condition: { attrs: attributes, alterationTypes: EVERY_UPDATE },
    },
    // The attributes of the update alone: the value of another one would count as a second measurement.
    notification: { ...target, attrs: attributes, onlyChangedAttrs: true, attrsFormat: 'normalized' },
  };
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

/** Texts that Orion may quote. */
function secretsOf({ headers }: BrokerSubscription): readonly string[] {
  return [...Object.values(headers), ...Object.values(encodedHeaders(headers))];
}
