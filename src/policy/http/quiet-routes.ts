import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { acceptJson } from '../../http/media-types.js';
import { isDryRun, onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { type QuietSpan, type QuietTime, spansFrom } from '../quiet/quiet-time.js';
import type { QuietView } from '../quiet/shapes.js';
import type { Policy } from '../policy.js';
import { pathIds } from './path-ids.js';
import type { PolicyRoutesOptions } from './routes.js';
import { operatorForTenant, tenantOrOperator } from './tenant-or-operator.js';
import { isoOf } from '../../system/iso.js';

/** Maximum number of occurrences that an answer shows. */
const NEXT = 3;

const WRITE = ['PUT'];

/** The quiet times of a tenant: its own paths, and those of operators, whose route group guards them. */
export function quietRoutes(
  options: Pick<
    PolicyRoutesOptions,
    'authenticated' | 'body' | 'bodies' | 'operators' | 'authors' | 'now'
  > & { readonly policy: Pick<Policy, 'tenants' | 'quietTimes' | 'dryRun' | 'by'> },
): readonly Route[] {
  const { authenticated, body, bodies, operators, authors, now } = options;
  const { tenants, quietTimes, dryRun, by } = options.policy;

  const routesAt = (path: string, access: EdgeMiddleware): readonly Route[] => {
    const on = (
      method: readonly string[],
      below: string,
      operation: (ctx: EdgeContext, tenant: string, name: string) => Promise<object | undefined>,
    ): Route =>
      route(method, `${path}/quiet${below}`, acceptJson, pathIds, access, async (ctx) => {
        onlyOf(ctx, method === WRITE ? ['dryRun'] : []);
        const answer = await operation(ctx, ctx.state.tenant, ctx.params['name'] ?? '');
        ctx.status = 200;
        ctx.body = answer ?? '';
      });
    return [
      on(WRITE, '/:name', async (ctx, tenant, name) => {
        const change = (isDryRun(ctx) ? dryRun : by(authors.of(ctx))).quietTimes;
        const draft = await bodies.read('quiet', await body(ctx), ctx.state.client);
        const author = { by: ctx.state.user, operator: ctx.state.isOperator };
        return shownQuiet(await change.set(tenant, name, draft, author), now());
      }),
      on(READ, '/:name', async (_, tenant, name) => shownQuiet(await quietTimes.get(tenant, name), now())),
      on(READ, '', async (_, tenant) => ({
        quiet: (await quietTimes.list(tenant)).map((one) => shownQuiet(one, now())),
      })),
      on(['DELETE'], '/:name', async (ctx, tenant, name) => {
        await by(authors.of(ctx)).quietTimes.remove(tenant, name, ctx.state.isOperator);
        return undefined;
      }),
    ];
  };

  return [
    ...routesAt('/v1.0/:tenantId', tenantOrOperator({ authenticated, tenants, operators })),
    ...routesAt('/operator/tenants/:tenantId', operatorForTenant(tenants)),
  ];
}

/** Returns a quiet time as the API shows it at `now`. */
export function shownQuiet(quiet: QuietTime, now: number): QuietView {
  const { name, servers, rules, start, duration, timezone, rrule, comment, by, operator, at } = quiet;
  return {
    name,
    servers,
    ...(rules === undefined ? {} : { rules }),
    start,
    duration,
    timezone,
    ...(rrule === undefined ? {} : { rrule }),
    ...(comment === undefined ? {} : { comment }),
    by,
    ...(operator ? { operator: true } : {}),
    at: isoOf(at),
    next: shownSpans(spansFrom(quiet, now)),
  };
}

/** Returns the first spans as the API shows them. */
export function shownSpans(spans: readonly QuietSpan[]): QuietView['next'] {
  return spans.slice(0, NEXT).map(([from, to]) => ({ from: isoOf(from), to: isoOf(to) }));
}
