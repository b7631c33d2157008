import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware, EdgeState } from '../../http/context.js';
import { isTenant, ngsiLdTenant, TENANT_PATTERN } from './headers.js';
import type { OfTenant } from '../operation.js';

/** Checks what `tenantOf` checks, before anything else of the request is looked at. */
export const tenantAllowed: EdgeMiddleware = (ctx, next) => {
  tenantOf(ctx);
  return next();
};

/**
 * Counts the request for its tenant: that of the token where one was asked for, else the one that NGSILD-Tenant names.
 * Comes behind `tenantAllowed`. Throws `Refusal('unavailable')`.
 */
export const tenantCounted: EdgeMiddleware = (ctx, next) => {
  const { principal, slot }: Partial<EdgeState> = ctx.state;
  const { tenant } = tenantOf(ctx);
  if (tenant !== undefined) slot?.countForTenant(tenant, principal !== undefined);
  return next();
};

/**
 * Whose request it is. Where a token was asked for (LEDGER_AUTH=token), its tenant, known by the id, since two tenants
 * may have one name; an NGSILD-Tenant must be that id or the name. Else the NGSILD-Tenant, if there is one. Throws
 * `Refusal`: `bad-request`, `forbidden`.
 */
export function tenantOf(ctx: EdgeContext): OfTenant {
  const asked = ngsiLdTenant(ctx.req.headersDistinct);
  const { principal }: Partial<EdgeState> = ctx.state;
  if (principal === undefined) return { tenant: asked, tenantName: undefined };
  const { id, name } = principal.tenant;
  if (asked !== undefined && asked !== id && asked !== name) {
    throw new Refusal('forbidden', 'NGSILD-Tenant is not the tenant that the token was issued for');
  }
  // It would be confused with what is no tenant's: the list of everybody's transactions has a name as well.
  if (!isTenant(id)) {
    throw new Refusal(
      'forbidden',
      `the tenant of the token cannot use the ledger: its id must match ${TENANT_PATTERN}, as an NGSILD-Tenant does`,
    );
  }
  return { tenant: id, tenantName: asked === id ? undefined : asked };
}

/** An Idempotency-Key together with its scope: where callers show tokens, keys of two tenants are two keys. */
export function scopedKey(ctx: EdgeContext, key: string, { tenant }: OfTenant): string {
  const { principal }: Partial<EdgeState> = ctx.state;
  // No key holds a line break, so that none is another's with its tenant in front.
  return principal === undefined ? key : `${tenant}\n${key}`;
}
