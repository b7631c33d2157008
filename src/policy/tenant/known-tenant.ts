import type { EdgeMiddleware } from '../../http/context.js';
import type { Tenants } from './tenants.js';

/** Whoever has shown a valid token is a known tenant from then on. Comes behind the checks of the token. */
export function knownTenant(tenants: Tenants): EdgeMiddleware {
  return async (ctx, next) => {
    await tenants.seen(ctx.state.principal.tenant);
    return next();
  };
}
