import type { Context } from 'koa';
import { onlyOf, plain, wholeNumber } from '../../http/query.js';
import type { SubscriptionPage, SubscriptionQuery } from '../subscriptions/subscription-list.js';
import { digestOfQuery, partsOf, textOf, wrongCursor } from './cursors.js';
import { isServerId } from '../server/server-id.js';
import { shownSubscription } from './presentation.js';

/** Subscriptions of a page by default, and at most. */
export const SUBSCRIPTIONS_PAGE = 100;
export const SUBSCRIPTIONS_PAGE_MAX = 1_000;

/** Returns the subscriptions that a request asks for. Throws a `Refusal` that names the wrong parameter. */
export function subscriptionQueryOf(ctx: Context, tenant: string): SubscriptionQuery {
  onlyOf(ctx, ['server', 'rule', 'after', 'limit']);
  const asked = { tenant, server: plain(ctx, 'server'), rule: plain(ctx, 'rule') };
  return {
    ...asked,
    after: cursorIn(ctx, asked),
    limit: wholeNumber(ctx, 'limit', 1, SUBSCRIPTIONS_PAGE_MAX) ?? SUBSCRIPTIONS_PAGE,
  };
}

/** Returns a page as it is answered, at `now`. */
export function subscriptionsView(query: SubscriptionQuery, page: SubscriptionPage, now: number) {
  const { subscriptions, next } = page;
  return {
    subscriptions: subscriptions.map((one) => shownSubscription(one, one.serverId, now)),
    next: next === undefined ? null : textOf(digestOf(query), next.serverId, next.subscriptionId ?? ''),
  };
}

type Asked = Pick<SubscriptionQuery, 'tenant' | 'server' | 'rule'>;

const digestOf = ({ tenant, server, rule }: Asked): string => digestOfQuery([tenant, server, rule]);

function cursorIn(ctx: Context, asked: Asked): SubscriptionQuery['after'] {
  const text = plain(ctx, 'after');
  if (text === undefined) return undefined;
  const [digest, serverId, subscriptionId] = partsOf(text) ?? [];
  if (digest !== digestOf(asked) || serverId === undefined || !isServerId(serverId)) throw wrongCursor();
  return { serverId, subscriptionId: subscriptionId === '' ? undefined : subscriptionId };
}
