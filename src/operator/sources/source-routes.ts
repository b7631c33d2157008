import { READ, type Route, route } from '../../http/router.js';
import type { SourceReports } from '../../policy/sources/source-reports.js';
import type { SourcesView } from '../../policy/sources/shapes.js';
import { type Audience, tenantAsked } from '../audience.js';
import { limitIn } from '../query.js';

/** The route of the sources. */
export function sourceRoutes(
  { prefix, listChecks, tenantOf }: Audience,
  reports: Pick<SourceReports, 'list'>,
): readonly Route[] {
  return [
    route(READ, `${prefix}/sources`, ...listChecks, (ctx) => {
      const tenant = tenantAsked(ctx, tenantOf(ctx), ['tenant', 'limit']);
      ctx.body = { sources: reports.list(tenant, limitIn(ctx)) } satisfies SourcesView;
    }),
  ];
}
