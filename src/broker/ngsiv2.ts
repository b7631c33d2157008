import { malformed, openExchange, refusal } from './exchange.js';
import type { BrokerRequest, Exchange } from './exchange.js';
import { fieldOf, jsonOf } from '../untrusted/json.js';
import { lastSegment } from './location.js';
import type { AdapterOptions } from './options.js';
import { requireOrionCharacters } from './orion-characters.js';
import type { Broker, BrokerSubscription, Granted } from './port.js';
import { isPublicId, newMark } from './subscription-id.js';
import { unanswered } from './unanswered.js';

const PATH = '/v2/subscriptions';

/** How many of the newest subscriptions are looked through for one whose creation was not answered. */
const NEWEST = 100;
/** How many are looked through at once: an answer holds them. */
const PAGE = 200;

/**
 * NGSIv2 as Orion speaks it. A creation whose outcome is unknown is looked for by a mark in its description and
 * removed, as far as the broker answers; what is created even later ends by its own expiry.
 */
export function ngsiv2({ url, timeoutMs, durationS, now }: AdapterOptions): Broker {
  const exchange = openExchange(url, timeoutMs);
  const expiry = (): number => now() + durationS * 1000;

  return {
    async subscribe(subscription, mark = newMark()) {
      requireOrionCharacters(subscription, true);
      const expiresAt = expiry();
      const description = descriptionOf(mark);
      try {
        const id = await create(exchange, subscription, description, expiresAt);
        return { id, expiresAt };
      } catch (error) {
        const by = performance.now() + timeoutMs;
        const secrets = secretsOf(subscription);
        throw await unanswered(error, () => removeNewest(exchange, description, { by, secrets }));
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

    retract: (mark, subscription) =>
      removeMarked(exchange, descriptionOf(mark), { secrets: secretsOf(subscription) }),

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

/** What the requests of one look through the list have in common. */
type Look = Pick<BrokerRequest, 'by' | 'secrets'>;

async function remove(exchange: Exchange, id: string, look: Look = {}): Promise<void> {
  const request: BrokerRequest = { ...look, method: 'DELETE', path: pathOf(id) };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
}

function descriptionOf(mark: string): string {
  return `Mirzam policy rules ${mark}`;
}

/** Looks among the newest alone: the end of however long a list, since Orion lists in order of creation. */
async function removeNewest(exchange: Exchange, description: string, look: Look): Promise<readonly string[]> {
  const offset = Math.max(0, (await count(exchange, look)) - NEWEST);
  // Twice as many, for those that others have added since the count.
  return removeIn(exchange, description, { ...look, offset, limit: 2 * NEWEST });
}

/** Looks through all, from the newest to the oldest: what others end meanwhile hides none that way. */
async function removeMarked(exchange: Exchange, description: string, look: Look): Promise<readonly string[]> {
  for (let end = (await count(exchange, look)) + NEWEST; end > 0; end -= PAGE) {
    const offset = Math.max(0, end - PAGE);
    const ended = await removeIn(exchange, description, { ...look, offset, limit: Math.min(PAGE, end) });
    if (ended.length > 0) return ended;
  }
  return [];
}

async function count(exchange: Exchange, look: Look): Promise<number> {
  const request: BrokerRequest = { ...look, method: 'GET', path: `${PATH}?limit=1&options=count` };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  return Number(answer.headers.get('fiware-total-count') ?? 0);
}

/** Removes those of a page that have the description; their ids. */
async function removeIn(
  exchange: Exchange,
  description: string,
  { offset, limit, ...look }: Look & { readonly offset: number; readonly limit: number },
): Promise<readonly string[]> {
  const path = `${PATH}?limit=${limit}&offset=${offset}`;
  const request: BrokerRequest = { ...look, method: 'GET', path };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  const list = jsonOf(answer.text);
  const ended: string[] = [];
  for (const one of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    const id = fieldOf(one, 'id');
    if (fieldOf(one, 'description') !== description || typeof id !== 'string') continue;
    await remove(exchange, id, look);
    ended.push(id);
  }
  return ended;
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
