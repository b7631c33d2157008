import { Router } from '@koa/router';
import { Problems } from '../errors.js';
import { isObject } from '../untrusted/json.js';
import type { EdgeContext, EdgeRouter, EdgeState } from '../http/context.js';
import { ID } from './dead-letters.js';
import type { DeadLetters } from './dead-letters.js';

/** What operators do with dead letters; guarded by the operators' area. `body` reads the JSON body of a request. */
export function deadLetterRoutes(
  deadLetters: DeadLetters,
  body: (ctx: EdgeContext) => Promise<unknown>,
): EdgeRouter {
  const router = new Router<EdgeState, object>();

  router.post('/operator/deliveries/redeliver', async (ctx) => {
    const subscriptionId = subscriptionIn(await body(ctx));
    ctx.body = { redelivered: await deadLetters.redeliverAll(subscriptionId) };
  });

  router.post('/operator/deliveries/:tenant/:id/redelivery', async (ctx) => {
    const { tenant, id } = ctx.params as { tenant: string; id: string };
    await deadLetters.redeliver(tenant, id);
    ctx.body = { id, state: 'pending' };
  });

  router.delete('/operator/deliveries/:id', async (ctx) => {
    const { id } = ctx.params as { id: string };
    await deadLetters.discard(id);
    ctx.body = { id, state: 'discarded' };
  });

  return router;
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
