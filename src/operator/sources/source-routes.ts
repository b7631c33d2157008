import { onlyOf } from '../../http/query.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import type { SourceReports } from '../../policy/sources/source-reports.js';
import type { SourcesView } from '../../policy/sources/shapes.js';
import { limitIn, tenantIn } from '../query.js';

/** The route of the sources of all tenants, guarded by the operators' route group. `byName` is `tenantByName`. */
export function operatorSources(
  reports: Pick<SourceReports, 'list'>,
  byName: EdgeMiddleware,
): readonly Route[] {
  return [
    route(READ, '/operator/sources', byName, (ctx) => {
      onlyOf(ctx, ['tenant', 'limit']);
      ctx.body = { sources: reports.list(tenantIn(ctx), limitIn(ctx)) } satisfies SourcesView;
    }),
  ];
}

/** The route of the sources of one tenant. `checks` set `ctx.state.tenant`. */
export function tenantSources(
  reports: Pick<SourceReports, 'list'>,
  checks: readonly EdgeMiddleware[],
): readonly Route[] {
  return [
    route(READ, '/v1.0/:tenantId/sources', ...checks, (ctx) => {
      onlyOf(ctx, ['limit']);
      ctx.body = { sources: reports.list(ctx.state.tenant, limitIn(ctx)) } satisfies SourcesView;
    }),
  ];
}
