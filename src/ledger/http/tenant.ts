import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware, EdgeState } from '../../http/context.js';
import { isTenant, ngsiLdTenant, TENANT_PATTERN } from './headers.js';
import type { OfTenant } from '../operation.js';

/** Throws what `tenantOf` throws, before any other check of the request. */
export const tenantAllowed: EdgeMiddleware = (ctx, next) => {
  tenantOf(ctx);
  return next();
};

/**
 * Counts the request for its tenant: that of the token, else the NGSILD-Tenant. Runs after `tenantAllowed`. Throws
 * `Refusal('unavailable')`.
 */
export const tenantCounted: EdgeMiddleware = (ctx, next) => {
  const { principal, permit }: Partial<EdgeState> = ctx.state;
  const { tenant } = tenantOf(ctx);
  if (tenant !== undefined) permit?.countForTenant(tenant, principal !== undefined);
  return next();
};

/**
 * Returns the tenant of a request. With LEDGER_AUTH=token it is the id of the token's tenant, since names are not unique;
 * an NGSILD-Tenant must be that id or the tenant's name. Otherwise it is the NGSILD-Tenant, if any. Throws `Refusal`:
 * `bad-request`, `forbidden`.
 */
export function tenantOf(ctx: EdgeContext): OfTenant {
  const asked = ngsiLdTenant(ctx.req.headersDistinct);
  const { principal }: Partial<EdgeState> = ctx.state;
  if (principal === undefined) return { tenant: asked, tenantName: undefined };
  const { id, name } = principal.tenant;
  if (asked !== undefined && asked !== id && asked !== name) {
    throw new Refusal('forbidden', 'NGSILD-Tenant is not the tenant that the token was issued for');
  }
  checkTenantId(id);
  return { tenant: id, tenantName: asked === id ? undefined : asked };
}

/**
 * Throws `Refusal('forbidden')` for the id of a token's tenant that is not a NGSILD-Tenant: it could be the name of the entity index
 * of all entities.
 */
export function checkTenantId(id: string): void {
  if (isTenant(id)) return;
  throw new Refusal(
    'forbidden',
    `the tenant of the token cannot use the ledger: its id must match ${TENANT_PATTERN}, as an NGSILD-Tenant does`,
  );
}

/** Returns an Idempotency-Key with its scope: with LEDGER_AUTH=token each tenant has keys of its own. */
export function scopedKey(ctx: EdgeContext, key: string, { tenant }: OfTenant): string {
  const { principal }: Partial<EdgeState> = ctx.state;
  // A key holds no line break: no key equals another one with its tenant.
  return principal === undefined ? key : `${tenant}\n${key}`;
}
