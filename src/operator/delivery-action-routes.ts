import type { DeliveryRequest } from '../delivery/change-delivery.js';
import { Problems } from '../errors.js';
import { isObject } from '../untrusted/json.js';
import type { Authors } from '../http/author.js';
import type { EdgeContext } from '../http/context.js';
import { type Route, route } from '../http/router.js';
import type { Audience } from './audience.js';
import { type DeliveryActions, ID } from './delivery-actions.js';

export interface DeliveryActionOptions {
  readonly actions: DeliveryActions;
  readonly authors: Authors;
  /** Reads the JSON body of a request. */
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
}

/** Routes that change deliveries, and answer what became of them. */
export function deliveryActionRoutes(
  { prefix, checks, tenantPath, tenantOf }: Audience,
  { actions, authors, body }: DeliveryActionOptions,
): readonly Route[] {
  const path = `${prefix}/deliveries`;

  const redeliverAll = route(['POST'], `${path}/redeliver`, ...checks, async (ctx) => {
    const subscriptionId = subscriptionIn(await body(ctx));
    ctx.body = { redelivered: await actions.redeliverAll(subscriptionId, tenantOf(ctx), authors.of(ctx)) };
  });

  const changing = (
    method: 'POST' | 'DELETE',
    below: string,
    type: DeliveryRequest['type'],
    state: 'pending' | 'discarded',
  ): Route =>
    route([method], path + below, ...checks, async (ctx) => {
      const { id } = ctx.params as { id: string };
      await actions.change(id, tenantOf(ctx), type, authors.of(ctx));
      ctx.body = { id, state };
    });

  return [
    redeliverAll,
    changing('POST', '/:id/try', 'try', 'pending'),
    changing('POST', '/:id/resend', 'resend', 'pending'),
    changing('DELETE', '/:id', 'discard', 'discarded'),
    changing('POST', `${tenantPath}/:id/redelivery`, 'redeliver', 'pending'),
  ];
}

function subscriptionIn(body: unknown): string {
  const problems = new Problems();
  const { subscriptionId, ...rest } = isObject(body) ? body : {};
  if (!isObject(body)) problems.add('body', 'must be a JSON object with subscriptionId');
  else if (typeof subscriptionId !== 'string' || !ID.test(subscriptionId))
    problems.add('subscriptionId', 'must be the id of a subscription, as operation 15 answered it');
  if (Object.keys(rest).length > 0) problems.add('body', 'must not have members other than subscriptionId');
  problems.refuse();
  return subscriptionId as string;
}
