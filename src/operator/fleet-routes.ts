import type { EdgeMiddleware } from '../http/context.js';
import { READ, type Route, route } from '../http/router.js';
import type { Fleet } from '../policy/fleet/fleet.js';
import { fleetQueryOf, fleetView, rulesQueryOf, rulesView } from '../policy/http/fleet-query.js';
import { tenantIn } from './query.js';

/** The routes of all servers, with what is wrong, and of all rules, guarded by the operators' route group. `byName` is `tenantByName`. */
export function fleetRoutes(fleet: Fleet, byName: EdgeMiddleware): readonly Route[] {
  return [
    route(READ, '/operator/servers', byName, async (ctx) => {
      const query = fleetQueryOf(ctx, tenantIn(ctx), ['tenant']);
      ctx.body = fleetView(query, await fleet.servers(query));
    }),
    route(READ, '/operator/rules', byName, async (ctx) => {
      ctx.body = rulesView(await fleet.rules(rulesQueryOf(ctx, tenantIn(ctx), ['tenant'])));
    }),
  ];
}
