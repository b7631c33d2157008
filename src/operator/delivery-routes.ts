import type { Context } from 'koa';
import { Refusal } from '../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { choice, onlyOf, plain, wrongParameter } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { Store } from '../store/port.js';
import { quoted } from '../untrusted/text.js';
import { RECEIVER_ID } from '../delivery/receiver/receiver-machine.js';
import { ID } from './delivery-actions.js';
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  type DeliveryView,
  listDeliveries,
  showDelivery,
} from './deliveries-view.js';
import { limitIn, tenantIn } from './query.js';

/** Routes that show the deliveries of all tenants, guarded by the operators' route group. `byName` is `tenantByName`. */
export function operatorDeliveries(store: Store, byName: EdgeMiddleware): readonly Route[] {
  const path = '/operator/deliveries';
  const tenantOf = (): undefined => undefined;
  return [listRoute(path, [byName], tenantOf, store), showRoute(path, [], tenantOf, store)];
}

/** Routes that show a tenant its deliveries. `checks` set `ctx.state.tenant`. */
export function tenantDeliveries(store: Store, checks: readonly EdgeMiddleware[]): readonly Route[] {
  const path = '/v1.0/:tenantId/deliveries';
  const tenantOf = (ctx: EdgeContext): string => ctx.state.tenant;
  return [listRoute(path, checks, tenantOf, store), showRoute(path, checks, tenantOf, store)];
}

/** Returns the tenant whose deliveries are shown; undefined: those of all tenants, or of the parameter `tenant`. */
type TenantOf = (ctx: EdgeContext) => string | undefined;

function listRoute(path: string, checks: readonly EdgeMiddleware[], tenantOf: TenantOf, store: Store): Route {
  return route(READ, path, ...checks, async (ctx) => {
    const { items, next } = await listDeliveries(store, deliveryFilterOf(ctx, tenantOf(ctx)));
    ctx.body = { deliveries: items, next };
  });
}

function showRoute(path: string, checks: readonly EdgeMiddleware[], tenantOf: TenantOf, store: Store): Route {
  return route(READ, `${path}/:id`, ...checks, async (ctx) => {
    onlyOf(ctx, []);
    const { id } = ctx.params as { id: string };
    ctx.body = await knownDelivery(store, id, tenantOf(ctx));
  });
}

/**
 * Returns the deliveries that a request asks for: those of `own`, or of the tenant that it names. Throws a `Refusal` that names
 * the wrong parameter.
 */
export function deliveryFilterOf(ctx: Context, own?: string): DeliveryFilter {
  const tenant = own === undefined ? ['tenant'] : [];
  onlyOf(ctx, ['state', ...tenant, 'server', 'subscription', 'receiver', 'answer', 'before', 'limit']);
  const receiver = plain(ctx, 'receiver');
  if (receiver !== undefined && !RECEIVER_ID.test(receiver))
    throw wrongParameter('receiver', 'must be the id of a receiver, as the list of receivers has it');
  const before = plain(ctx, 'before');
  if (before !== undefined && !ID.test(before)) {
    throw wrongParameter('before', 'must be the id of a delivery, such as the `next` of a page');
  }
  return {
    state: choice(ctx, 'state', DELIVERY_STATES) as DeliveryState | undefined,
    tenant: own ?? tenantIn(ctx),
    server: plain(ctx, 'server'),
    subscription: plain(ctx, 'subscription'),
    receiver,
    answer: plain(ctx, 'answer'),
    before,
    limit: limitIn(ctx),
  };
}

/** Returns a delivery by its id; of `tenant` alone if that is given. Throws `Refusal('not-found')`. */
export async function knownDelivery(
  store: Store,
  id: string,
  tenant: string | undefined,
): Promise<DeliveryView> {
  const found = ID.test(id) ? await showDelivery(store, id, tenant) : undefined;
  if (found === undefined) throw new Refusal('not-found', `id: no delivery ${quoted(id)}`);
  return found;
}
