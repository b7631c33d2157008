import type { EdgeMiddleware } from '../context.js';

/**
 * Counts the request for the tenant that its token has proven. Comes behind `ownTenant`: a stranger with a bad token takes
 * nothing from a tenant's share. Throws `Refusal('unavailable')`.
 */
export const tenantShare: EdgeMiddleware = (ctx, next) => {
  ctx.state.place.nameTenant(ctx.state.tenant, true);
  return next();
};
