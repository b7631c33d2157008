import { Refusal } from '../../errors.js';
import type { EdgeMiddleware, EdgeState } from '../../http/context.js';
import { ngsiLdTenant } from '../headers.js';

/**
 * The NGSILD-Tenant, if there is one, may be a tenant's name, and is the tenant of the token where one was asked for,
 * by its id or its name. Throws `Refusal`: `bad-request`, `forbidden`.
 */
export const tenantAllowed: EdgeMiddleware = (ctx, next) => {
  const asked = ngsiLdTenant(ctx.req.headersDistinct);
  const { principal }: Partial<EdgeState> = ctx.state;
  if (asked === undefined || principal === undefined) return next();
  if (asked !== principal.tenant.id && asked !== principal.tenant.name) {
    throw new Refusal('forbidden', 'NGSILD-Tenant is not the tenant that the token was issued for');
  }
  return next();
};

/**
 * Counts the request for its tenant: that of the token where one was asked for, else the one that NGSILD-Tenant names.
 * Comes behind `tenantAllowed`. Throws `Refusal('unavailable')`.
 */
export const tenantCounted: EdgeMiddleware = (ctx, next) => {
  const { principal, place }: Partial<EdgeState> = ctx.state;
  const tenant = principal?.tenant.id ?? ngsiLdTenant(ctx.req.headersDistinct);
  if (tenant !== undefined) place?.nameTenant(tenant, principal !== undefined);
  return next();
};
