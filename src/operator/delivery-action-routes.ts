import { Problems } from '../errors.js';
import { isObject } from '../untrusted/json.js';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { type Route, route } from '../http/router.js';
import { type DeliveryActions, ID } from './delivery-actions.js';

export interface DeliveryActionOptions {
  readonly actions: DeliveryActions;
  /** Reads the JSON body of a request. */
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
}

/** Routes that change deliveries of all tenants, guarded by the operators' route group. */
export function operatorDeliveryActions(options: DeliveryActionOptions): readonly Route[] {
  const redeliver = route(['POST'], '/operator/deliveries/:tenant/:id/redelivery', async (ctx) => {
    const { tenant, id } = ctx.params as { tenant: string; id: string };
    await options.actions.redeliver(id, tenant);
    ctx.body = { id, state: 'pending' };
  });
  return [...actionRoutes('/operator', [], () => undefined, options), redeliver];
}

/** Routes of tenants that change what is theirs. `checks` set `ctx.state.tenant`. */
export function tenantDeliveryActions(
  checks: readonly EdgeMiddleware[],
  options: DeliveryActionOptions,
): readonly Route[] {
  const tenantOf = (ctx: EdgeContext): string => ctx.state.tenant;
  const redeliver = route(['POST'], '/v1.0/:tenantId/deliveries/:id/redelivery', ...checks, async (ctx) => {
    const { id } = ctx.params as { id: string };
    await options.actions.redeliver(id, tenantOf(ctx));
    ctx.body = { id, state: 'pending' };
  });
  return [...actionRoutes('/v1.0/:tenantId', checks, tenantOf, options), redeliver];
}

/** `tenantOf` returns the tenant whose deliveries may be changed; undefined: any. */
function actionRoutes(
  prefix: string,
  checks: readonly EdgeMiddleware[],
  tenantOf: (ctx: EdgeContext) => string | undefined,
  { actions, body }: DeliveryActionOptions,
): readonly Route[] {
  const idOf = (ctx: EdgeContext): string => (ctx.params as { id: string }).id;

  const redeliverAll = route(['POST'], `${prefix}/deliveries/redeliver`, ...checks, async (ctx) => {
    const subscriptionId = subscriptionIn(await body(ctx));
    ctx.body = { redelivered: await actions.redeliverAll(subscriptionId, tenantOf(ctx)) };
  });

  const [tryNow, resend] = (['try', 'resend'] as const).map((name) =>
    route(['POST'], `${prefix}/deliveries/:id/${name}`, ...checks, async (ctx) => {
      await actions[name === 'try' ? 'tryNow' : 'resend'](idOf(ctx), tenantOf(ctx));
      ctx.body = { id: idOf(ctx), state: 'pending' };
    }),
  );

  const discard = route(['DELETE'], `${prefix}/deliveries/:id`, ...checks, async (ctx) => {
    await actions.discard(idOf(ctx), tenantOf(ctx));
    ctx.body = { id: idOf(ctx), state: 'discarded' };
  });

  return [redeliverAll, tryNow!, resend!, discard];
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
