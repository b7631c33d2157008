import { ENDPOINT } from '../../delivery/endpoint/endpoint-machine.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { rangeOf } from '../../operator/query.js';
import { tenantOf } from '../viewer.js';
import type { ListReceivers } from './receivers.js';

export interface DeliveryRouteOptions {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  readonly receivers: ListReceivers;
}

/** Routes of the console's pages about deliveries. A tenant sees its own only. */
export function deliveryRoutes(options: DeliveryRouteOptions): readonly Route[] {
  const receivers = route(READ, '/console/api/receivers', options.viewer, async (ctx) => {
    onlyOf(ctx, ['tenant']);
    const tenant = tenantOf(ctx.state.viewer, rangeOf(ctx, [ENDPOINT]).tenant);
    ctx.body = await options.receivers(tenant);
  });

  return [receivers];
}
