import { contextIn } from '../../actors/behavior.js';
import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { onlyOf, plain, wholeNumber } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { limitIn } from '../../operator/query.js';
import { quietDraft } from '../../policy/http/quiet-schema.js';
import { shownQuiet, shownSpans } from '../../policy/http/quiet-routes.js';
import { validate } from '../../policy/http/validate.js';
import { countFitting, listMuted, type MutedSubscription } from '../../policy/mute/muted-list.js';
import type { Policy } from '../../policy/policy.js';
import { TENANT, type TenantContext } from '../../policy/tenant/tenant-machine.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Store } from '../../store/port.js';
import { isoOf } from '../../system/iso.js';
import type { MutedRow, MutedView, QuietPreview, QuietTimesView } from '../shapes.js';
import { tenantOf } from '../viewer.js';

export interface QuietRouteOptions {
  readonly store: Store;
  readonly policy: Pick<Policy, 'tenants' | 'quietTimes'>;
  /** Sets `ctx.state.viewer`. */
  readonly viewer: EdgeMiddleware;
  /** Lets few views that read much run at the same time. */
  readonly permit: EdgeMiddleware;
  /** Returns ms since the epoch. */
  readonly now: () => number;
}

/** Maximum number of quiet times in an answer, and of tenants read at a time. */
const SHOWN = 500;
const TENANTS = 100;

/** Routes of the quiet times that the viewer may see, and of what is muted. */
export function quietViewRoutes(options: QuietRouteOptions): readonly Route[] {
  const { store, viewer, permit, now } = options;
  const { tenants, quietTimes } = options.policy;

  /** Returns the id of the tenant that is asked for; undefined: all. Throws `Refusal('not-found')` for an unknown one. */
  const askedTenant = async (ctx: EdgeContext): Promise<string | undefined> => {
    const asked = plain(ctx, 'tenant');
    if (ctx.state.viewer.kind === 'tenant' || asked === undefined) return tenantOf(ctx.state.viewer, asked);
    const tenant = await tenants.resolve(asked);
    if (tenant === undefined) throw new Refusal('not-found', `tenant: no tenant ${asked} is known`);
    return tenant;
  };

  const list = route(READ, '/console/api/quiet', viewer, permit, async (ctx) => {
    onlyOf(ctx, ['tenant']);
    const tenant = await askedTenant(ctx);
    const quiet: QuietTimesView['quiet'][number][] = [];
    for await (const page of pages((after) => store.list({ kind: TENANT, tenant, after, limit: TENANTS }))) {
      for (const listed of page) {
        const tenantId = addressOf(listed.id).tenant;
        const { quiet: own = [] } = contextIn(listed) as Partial<TenantContext>;
        quiet.push(...own.map((one) => ({ tenantId, ...shownQuiet(one, now()) })));
      }
      if (quiet.length >= SHOWN) break;
    }
    ctx.body = { quiet: quiet.slice(0, SHOWN), more: quiet.length > SHOWN } satisfies QuietTimesView;
  });

  const preview = route(READ, '/console/api/quiet/preview', viewer, async (ctx) => {
    onlyOf(ctx, ['tenant', 'servers', 'start', 'duration', 'timezone', 'rrule']);
    const tenant = await askedTenant(ctx);
    if (tenant === undefined)
      throw new Refusal('bad-request', 'tenant: is required, the id or name of a tenant');
    const draft = validate(quietDraft, draftIn(ctx));
    // Without a permit: a rule may take seconds, in which other viewers would wait.
    const next = shownSpans(await quietTimes.preview(tenant, draft));
    return permit(ctx, async () => {
      ctx.body = { ...(await countFitting(store, tenant, draft.servers)), next } satisfies QuietPreview;
    });
  });

  const muted = route(READ, '/console/api/muted', viewer, permit, async (ctx) => {
    onlyOf(ctx, ['tenant', 'after', 'limit']);
    const tenant = await askedTenant(ctx);
    const query = { tenant, after: plain(ctx, 'after'), limit: limitIn(ctx) };
    const found = await listMuted(store, tenants, query, now());
    ctx.body = { muted: found.muted.map(shownMuted), next: found.next ?? null } satisfies MutedView;
  });

  return [list, preview, muted];
}

/** Returns the body of a quiet time with the values of the query. */
function draftIn(ctx: EdgeContext): object {
  const servers = plain(ctx, 'servers');
  const duration = wholeNumber(ctx, 'duration', 1, Number.MAX_SAFE_INTEGER);
  const given = {
    servers: servers === undefined ? [] : servers.split(','),
    start: plain(ctx, 'start'),
    duration,
    timezone: plain(ctx, 'timezone'),
    rrule: plain(ctx, 'rrule'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function shownMuted({ by, comment, at, until, ...row }: MutedSubscription): MutedRow {
  return {
    ...row,
    by: by ?? null,
    comment: comment ?? null,
    at: at === undefined ? null : isoOf(at),
    until: isoOf(until),
  };
}
