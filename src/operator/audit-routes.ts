import { AUDIT_NAME } from '../audit/audit-machine.js';
import { type AuditFilter, listAudit, type ListedEntry } from '../audit/audit-list.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { onlyOf, plain, wrongParameter } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { Store } from '../store/port.js';
import { limitIn, tenantIn } from './query.js';
import type { AuditView, ChangeView } from './shapes.js';

export interface AuditRouteOptions {
  /** Without the documents that cannot be read. */
  readonly store: Store;
  readonly log: Pick<AuditLog, 'settled' | 'keepMs'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** The route of the changes of all tenants, guarded by the operators' route group. `byName` is `tenantByName`. */
export function operatorAudit(byName: EdgeMiddleware, options: AuditRouteOptions): readonly Route[] {
  return [auditRoute('/operator/audit', [byName], () => undefined, options)];
}

/** The route of a tenant's changes. `checks` set `ctx.state.tenant`. */
export function tenantAudit(checks: readonly EdgeMiddleware[], options: AuditRouteOptions): readonly Route[] {
  return [auditRoute('/v1.0/:tenantId/audit', checks, (ctx) => ctx.state.tenant, options)];
}

/** `tenantOf` returns the tenant whose changes are shown; undefined: those of all tenants, or of the parameter `tenant`. */
function auditRoute(
  path: string,
  checks: readonly EdgeMiddleware[],
  tenantOf: (ctx: EdgeContext) => string | undefined,
  { store, log, now }: AuditRouteOptions,
): Route {
  return route(READ, path, ...checks, async (ctx) => {
    const filter = auditFilterOf(ctx, tenantOf(ctx));
    await log.settled();
    const { items, next } = await listAudit(store, filter, now() - log.keepMs);
    ctx.body = { audit: items.map(shownChange), next } satisfies AuditView;
  });
}

/** Returns the changes that a request asks for. Throws a `Refusal` that names the wrong parameter. */
function auditFilterOf(ctx: EdgeContext, own: string | undefined): AuditFilter {
  const tenant = own === undefined ? ['tenant'] : [];
  onlyOf(ctx, [...tenant, 'what', 'query', 'before', 'limit']);
  const before = plain(ctx, 'before');
  if (before !== undefined && !AUDIT_NAME.test(before))
    throw wrongParameter('before', 'must be the `next` of a page');
  const filter = { what: plain(ctx, 'what'), query: plain(ctx, 'query') };
  return { tenant: own ?? tenantIn(ctx), ...filter, before, limit: limitIn(ctx) };
}

function shownChange({ tenantId, entry }: ListedEntry): ChangeView {
  const { at, who, via, what, target, before, after } = entry;
  return {
    at: new Date(at).toISOString(),
    tenantId,
    who,
    via,
    what,
    target,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}
