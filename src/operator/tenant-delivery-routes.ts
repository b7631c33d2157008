import type { EdgeMiddleware } from '../http/context.js';
import { onlyOf } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { Store } from '../store/port.js';
import { listDeliveries } from './deliveries-view.js';
import { deliveryFilterOf, knownDelivery } from './delivery-routes.js';

/** Routes that show a tenant its deliveries. `checks` set `ctx.state.tenant`. */
export function tenantDeliveryRoutes(store: Store, checks: readonly EdgeMiddleware[]): readonly Route[] {
  const list = route(READ, '/v1.0/:tenantId/deliveries', ...checks, async (ctx) => {
    const filter = deliveryFilterOf(ctx, ctx.state.tenant);
    const { items, next } = await listDeliveries(store, filter);
    ctx.body = { deliveries: items, next };
  });

  const show = route(READ, '/v1.0/:tenantId/deliveries/:id', ...checks, async (ctx) => {
    onlyOf(ctx, []);
    const { id } = ctx.params as { id: string };
    ctx.body = await knownDelivery(store, id, ctx.state.tenant);
  });

  return [list, show];
}
