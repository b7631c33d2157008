import { Problems } from '../errors.js';
import { isObject } from '../untrusted/json.js';
import type { EdgeContext } from '../http/context.js';
import { type Route, route } from '../http/router.js';
import { type DeadLetters, ID } from './dead-letters.js';

/** Routes for dead letters, guarded by the operators' route group. `body` reads the JSON body of a request. */
export function deadLetterRoutes(
  deadLetters: DeadLetters,
  body: (ctx: EdgeContext) => Promise<unknown>,
): readonly Route[] {
  const redeliverAll = route(['POST'], '/operator/deliveries/redeliver', async (ctx) => {
    const subscriptionId = subscriptionIn(await body(ctx));
    ctx.body = { redelivered: await deadLetters.redeliverAll(subscriptionId) };
  });

  const redeliver = route(['POST'], '/operator/deliveries/:tenant/:id/redelivery', async (ctx) => {
    const { tenant, id } = ctx.params as { tenant: string; id: string };
    await deadLetters.redeliver(tenant, id);
    ctx.body = { id, state: 'pending' };
  });

  const discard = route(['DELETE'], '/operator/deliveries/:id', async (ctx) => {
    const { id } = ctx.params as { id: string };
    await deadLetters.discard(id);
    ctx.body = { id, state: 'discarded' };
  });

  return [redeliverAll, redeliver, discard];
}

function subscriptionIn(body: unknown): string {
  const problems = new Problems();
  if (!isObject(body)) problems.add('body', 'must be a JSON object with subscriptionId');
  else {
    const { subscriptionId, ...rest } = body;
    if (typeof subscriptionId === 'string' && ID.test(subscriptionId)) {
      if (Object.keys(rest).length === 0) return subscriptionId;
    } else problems.add('subscriptionId', 'must be the id of a subscription, as operation 15 answered it');
    if (Object.keys(rest).length > 0) problems.add('body', 'must not have members other than subscriptionId');
  }
  problems.refuse();
  throw new Error('a body was refused without a problem');
}
