import { fieldOf, jsonOf } from '../untrusted/json.js';
import type { Exchange } from './exchange.js';
import type { BrokerRequest } from './request.js';
import { refusal } from './failures.js';

const PATH = '/v2/subscriptions';

/** Number of newest subscriptions searched for one whose creation was not answered. */
const NEWEST = 100;
/** Subscriptions per answer in a full search. */
const PAGE = 200;

/** Options shared by the requests of one search. */
export type SearchOptions = Pick<BrokerRequest, 'headers' | 'deadline' | 'secrets'>;

/**
 * Removes the subscriptions with a description among the newest of an NGSIv2 broker. Returns their ids. Orion lists in
 * order of creation, so the newest are at the end.
 */
export async function removeNewest(
  exchange: Exchange,
  description: string,
  options: SearchOptions,
): Promise<readonly string[]> {
  const offset = Math.max(0, (await count(exchange, options)) - NEWEST);
  // Twice as many: others may have added subscriptions since the count.
  return removeIn(exchange, description, { ...options, offset, limit: 2 * NEWEST });
}

/**
 * Removes the subscriptions with a description among all of an NGSIv2 broker. Returns their ids. Searches from the newest
 * to the oldest: concurrent removals then hide none.
 */
export async function removeMarked(
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
    await removeSubscription(exchange, id, options);
    ended.push(id);
  }
  return ended;
}

/** Removes one subscription of an NGSIv2 broker. An unknown one counts as removed. Throws the refusal of the broker. */
export async function removeSubscription(
  exchange: Exchange,
  id: string,
  options: SearchOptions,
): Promise<void> {
  const request: BrokerRequest = {
    ...options,
    method: 'DELETE',
    path: `${PATH}/${encodeURIComponent(id)}`,
  };
  const answer = await exchange.send(request);
  if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, request);
}
