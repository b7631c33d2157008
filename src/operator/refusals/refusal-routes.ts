import { onlyOf, plain } from '../../http/query.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { limitIn, tenantIn } from '../query.js';
import type { RefusalsView } from '../shapes.js';
import type { Refusals } from './refusals.js';

/** The route of refused measurements, guarded by the operators' route group. `byName` is `tenantByName`. */
export function refusalRoutes(refusals: Pick<Refusals, 'list'>, byName: EdgeMiddleware): readonly Route[] {
  return [
    route(READ, '/operator/refusals', byName, (ctx) => {
      onlyOf(ctx, ['tenant', 'limit']);
      // A request that was refused before its tenant was looked up is listed as its path has it: by a name, maybe.
      const asked = new Set([tenantIn(ctx), plain(ctx, 'tenant')]);
      const isAsked = (tenant: string): boolean => asked.has(undefined) || asked.has(tenant);
      ctx.body = { refusals: refusals.list(isAsked, limitIn(ctx)) } satisfies RefusalsView;
    }),
  ];
}
