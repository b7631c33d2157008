import { malformed, openExchange, refusal } from './exchange.js';
import type { BrokerRequest, Exchange } from './exchange.js';
import { fieldOf, jsonOf } from '../foreign/json.js';
import { lastSegment } from './location.js';
import type { AdapterOptions } from './options.js';
import { requireOrionCharacters } from './orion-characters.js';
import { BrokerUnavailable } from './port.js';
import type { Broker, BrokerSubscription, Granted } from './port.js';
import { isPublicId, newMark } from './subscription-id.js';

const PATH = '/v2/subscriptions';

/** How many of the newest subscriptions are looked through for one whose creation was not answered. */
const NEWEST = 100;

/**
 * NGSIv2 as Orion speaks it. A creation whose outcome is unknown is looked for by a mark in its description and
 * removed, as far as the broker answers; what is created even later ends by its own expiry.
 */
export function ngsiv2({ url, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const expiry = (): number => now() + durationS * 1000;

  return {
    async subscribe(subscription) {
      requireOrionCharacters(subscription, true);
      const expiresAt = expiry();
      const description = `Mirzam policy rules ${newMark()}`;
      try {
        const id = await create(exchange, subscription, description, expiresAt);
        return { id, expiresAt };
      } catch (error) {
        if (error instanceof BrokerUnavailable) {
          await removeMarked(exchange, description, performance.now() + timeoutMs).catch(() => {});
        }
        throw error;
      }
    },

    async renew(id, subscription): Promise<Granted | undefined> {
      requireOrionCharacters(subscription, true);
      const expiresAt = expiry();
      const body = { expires: iso(expiresAt), notification: notificationOf(subscription) };
      const request: BrokerRequest = {
        method: 'PATCH',
        path: pathOf(id),
        body,
        secrets: secretsOf(subscription),
      };
      const answer = await exchange.send(request);
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw refusal(answer, request);
      return { id, expiresAt };
    },

    unsubscribe: (id) => remove(exchange, id),

    async close() {
      exchange.close();
    },
  };
}

async function create(
  exchange: Exchange,
  subscription: BrokerSubscription,
  description: string,
  expiresAt: number,
): Promise<string> {
  const { entityId, entityType, attributes } = subscription;
  const body = {
    description,
    subject: { entities: [{ id: entityId, type: entityType }], condition: { attrs: attributes } },
    notification: notificationOf(subscription),
    expires: iso(expiresAt),
  };
  const request: BrokerRequest = { method: 'POST', path: PATH, body, secrets: secretsOf(subscription) };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  const id = lastSegment(answer.headers.get('location'));
  if (answer.status !== 201 || !isPublicId(id)) throw malformed('no usable id of the new subscription');
  return id;
}

async function remove(exchange: Exchange, id: string, by?: number): Promise<void> {
  const request: BrokerRequest = { method: 'DELETE', path: pathOf(id), by };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
}

/** Orion lists in order of creation, so that a new subscription is near the end of however long a list. */
async function removeMarked(exchange: Exchange, description: string, by: number): Promise<void> {
  const counted = await exchange.send({ method: 'GET', path: `${PATH}?limit=1&options=count`, by });
  const offset = Math.max(0, Number(counted.headers.get('fiware-total-count') ?? 0) - NEWEST);
  // Twice as many, for those that others have added since the count.
  const page = await exchange.send({
    method: 'GET',
    path: `${PATH}?limit=${2 * NEWEST}&offset=${offset}`,
    by,
  });
  const list = jsonOf(page.text);
  for (const one of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    const id = fieldOf(one, 'id');
    if (fieldOf(one, 'description') === description && typeof id === 'string') await remove(exchange, id, by);
  }
}

function notificationOf({ callback, headers, attributes }: BrokerSubscription) {
  const custom = Object.keys(headers).length > 0;
  const target = custom ? { httpCustom: { url: callback, headers } } : { http: { url: callback } };
  return { ...target, attrs: attributes, attrsFormat: 'normalized' };
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function secretsOf({ headers }: BrokerSubscription): readonly string[] {
  return Object.values(headers);
}
