import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { tenantOf } from '../viewer.js';
import type { Overview } from './overview.js';

/** The route of the overview. `viewer` sets `ctx.state.viewer`. */
export function overviewRoutes(viewer: EdgeMiddleware, overview: Overview): readonly Route[] {
  return [
    route(READ, '/console/api/overview', viewer, async (ctx) => {
      onlyOf(ctx, []);
      ctx.body = await overview(tenantOf(ctx.state.viewer, undefined));
    }),
  ];
}
