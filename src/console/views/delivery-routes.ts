import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { listDeliveriesAs } from '../../operator/deliveries-view.js';
import { deliveryFilterOf, knownDelivery } from '../../operator/delivery-routes.js';
import { tenantIn } from '../../operator/query.js';
import type { Store } from '../../store/port.js';
import type { DeliveriesView } from '../shapes.js';
import { tenantOf } from '../viewer.js';
import { deliveryRow, shownDelivery } from './delivery-rows.js';
import type { ListReceivers } from './receivers.js';

export interface DeliveryRouteOptions {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  /** Makes views that read much take turns. */
  readonly inTurn: EdgeMiddleware;
  readonly store: Store;
  readonly receivers: ListReceivers;
}

/** Routes of the console's pages about deliveries. A tenant sees its own only. */
export function deliveryRoutes({ viewer, inTurn, store, receivers }: DeliveryRouteOptions): readonly Route[] {
  const list = route(READ, '/console/api/deliveries', viewer, inTurn, async (ctx) => {
    const filter = deliveryFilterOf(ctx);
    const tenant = tenantOf(ctx.state.viewer, filter.tenant);
    const { items, next } = await listDeliveriesAs(store, { ...filter, tenant }, deliveryRow);
    ctx.body = { deliveries: items, next } satisfies DeliveriesView;
  });

  const one = route(READ, '/console/api/deliveries/:id', viewer, async (ctx) => {
    onlyOf(ctx, []);
    const { id } = ctx.params as { id: string };
    ctx.body = shownDelivery(await knownDelivery(store, id, tenantOf(ctx.state.viewer, undefined)));
  });

  const inTrouble = route(READ, '/console/api/receivers', viewer, async (ctx) => {
    onlyOf(ctx, ['tenant']);
    ctx.body = await receivers(tenantOf(ctx.state.viewer, tenantIn(ctx)));
  });

  return [list, one, inTrouble];
}
