import { AUDIT_NAME } from '../audit/audit-machine.js';
import { type AuditFilter, listAudit, type ListedEntry } from '../audit/audit-list.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { EdgeContext } from '../http/context.js';
import { plain, wrongParameter } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { Store } from '../store/port.js';
import { type Audience, tenantAsked } from './audience.js';
import { limitIn } from './query.js';
import type { AuditView, ChangeView } from './shapes.js';
import { isoOf } from '../system/iso.js';

export interface AuditRouteOptions {
  /** Without the documents that cannot be read. */
  readonly store: Store;
  readonly log: Pick<AuditLog, 'settled' | 'keepMs'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** The route of the changes. */
export function auditRoutes(
  { prefix, listChecks, tenantOf }: Audience,
  { store, log, now }: AuditRouteOptions,
): readonly Route[] {
  return [
    route(READ, `${prefix}/audit`, ...listChecks, async (ctx) => {
      const filter = auditFilterOf(ctx, tenantOf(ctx));
      await log.settled();
      const { items, next } = await listAudit(store, filter, now() - log.keepMs);
      ctx.body = { audit: items.map(shownChange), next } satisfies AuditView;
    }),
  ];
}

/** Returns the changes that a request asks for. Throws a `Refusal` that names the wrong parameter. */
function auditFilterOf(ctx: EdgeContext, own: string | undefined): AuditFilter {
  const tenant = tenantAsked(ctx, own, ['tenant', 'what', 'query', 'before', 'limit']);
  const before = plain(ctx, 'before');
  if (before !== undefined && !AUDIT_NAME.test(before))
    throw wrongParameter('before', 'must be the `next` of a page');
  return { tenant, what: plain(ctx, 'what'), query: plain(ctx, 'query'), before, limit: limitIn(ctx) };
}

function shownChange({ tenantId, entry }: ListedEntry): ChangeView {
  const { at, who, via, what, target, before, after } = entry;
  return {
    at: isoOf(at),
    tenantId,
    who,
    via,
    what,
    target,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}
