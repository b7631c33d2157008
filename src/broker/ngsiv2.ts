import { fieldOf, jsonOf } from '../untrusted/json.js';
import { openExchange } from './exchange.js';
import type { BrokerRequest, Exchange } from './exchange.js';
import { creationFailure, malformed, refusal } from './failures.js';
import { requireOrionCharacters } from './orion-characters.js';
import type { AdapterOptions, Broker, BrokerSubscription, Granted } from './port.js';
import { isPublicId, lastSegment, newMark } from './subscription-id.js';

const PATH = '/v2/subscriptions';

/** Number of newest subscriptions searched for one whose creation was not answered. */
const NEWEST = 100;
/** Subscriptions per answer in a full search. */
const PAGE = 200;

/**
 * Adapter of NGSIv2 as implemented by Orion. A subscription whose creation was not answered is found by the mark in its
 * description and removed, if the broker answers by then. One created even later ends by its own expiry.
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
        const deadline = performance.now() + timeoutMs;
        const secrets = secretsOf(subscription);
        throw await creationFailure(error, () => removeNewest(exchange, description, { deadline, secrets }));
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

/** Options shared by the requests of one search. */
type SearchOptions = Pick<BrokerRequest, 'deadline' | 'secrets'>;

async function remove(exchange: Exchange, id: string, options: SearchOptions = {}): Promise<void> {
  const request: BrokerRequest = { ...options, method: 'DELETE', path: pathOf(id) };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
}

function descriptionOf(mark: string): string {
  return `Mirzam policy rules ${mark}`;
}

/** Searches the newest subscriptions only. Orion lists in order of creation, so they are at the end. */
async function removeNewest(
  exchange: Exchange,
  description: string,
  options: SearchOptions,
): Promise<readonly string[]> {
  const offset = Math.max(0, (await count(exchange, options)) - NEWEST);
  // Twice as many: others may have added subscriptions since the count.
  return removeIn(exchange, description, { ...options, offset, limit: 2 * NEWEST });
}

/** Searches all subscriptions from the newest to the oldest: concurrent removals then hide none. */
async function removeMarked(
  exchange: Exchange,
  description: string,
  options: SearchOptions,
): Promise<readonly string[]> {
  for (let end = (await count(exchange, options)) + NEWEST; end > 0; end -= PAGE) {
    const offset = Math.max(0, end - PAGE);
    const ended = await removeIn(exchange, description, { ...options, offset, limit: Math.min(PAGE, end) });
    if (ended.length > 0) return ended;
  }
  return [];
}

async function count(exchange: Exchange, options: SearchOptions): Promise<number> {
  const request: BrokerRequest = { ...options, method: 'GET', path: `${PATH}?limit=1&options=count` };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  return Number(answer.headers.get('fiware-total-count') ?? 0);
}

/** Removes the subscriptions of a page with the description. Returns their ids. */
async function removeIn(
  exchange: Exchange,
  description: string,
  { offset, limit, ...options }: SearchOptions & { readonly offset: number; readonly limit: number },
): Promise<readonly string[]> {
  const path = `${PATH}?limit=${limit}&offset=${offset}`;
  const request: BrokerRequest = { ...options, method: 'GET', path };
  const answer = await exchange.send(request);
  if (answer.status >= 400) throw refusal(answer, request);
  const list = jsonOf(answer.text);
  const ended: string[] = [];
  for (const one of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    const id = fieldOf(one, 'id');
    if (fieldOf(one, 'description') !== description || typeof id !== 'string') continue;
    await remove(exchange, id, options);
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
