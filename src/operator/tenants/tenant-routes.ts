import type { Authors } from '../../http/author.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import type { Policy } from '../../policy/policy.js';
import { TENANT } from '../../policy/tenant/tenant-machine.js';
import type { Store } from '../../store/port.js';
import { rangeOf } from '../query.js';
import type { TenantDeletion, TenantLimits, TenantsView } from '../shapes.js';
import { listTenants } from './tenant-list.js';

/** The routes of the tenants, guarded by the operators' route group. `store`: without the documents that cannot be read. */
export function tenantRoutes({
  store,
  authors,
  limits,
  policy: { tenants, fleet },
}: {
  readonly store: Pick<Store, 'list'>;
  readonly authors: Authors;
  readonly limits: TenantLimits;
  readonly policy: Pick<Policy, 'tenants' | 'fleet'>;
}): readonly Route[] {
  return [
    route(READ, '/operator/tenants', async (ctx) => {
      onlyOf(ctx, ['limit', 'after']);
      const { items, next } = await listTenants(store, fleet, rangeOf(ctx, [TENANT]));
      ctx.body = { tenants: items, limits, next } satisfies TenantsView;
    }),
    route(['DELETE'], '/operator/tenants/:tenant', async (ctx) => {
      onlyOf(ctx, []);
      const { tenant } = ctx.params as { tenant: string };
      await tenants.remove(tenant, authors.of(ctx));
      ctx.status = 202;
      ctx.body = { state: 'deleting' } satisfies TenantDeletion;
    }),
  ];
}
