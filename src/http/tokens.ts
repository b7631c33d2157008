import { Refusal } from '../errors.js';
import type { Identity } from '../identity/port.js';
import type { EdgeMiddleware } from './context.js';

/**
 * X-Auth-Token must hold a valid token (policy §5, rule 1); `ctx.state.principal` is who it speaks for. Throws
 * `Refusal('unauthorized')`, or what `identity` throws.
 */
export function authenticate(identity: Identity): EdgeMiddleware {
  return async (ctx, next) => {
    const token = ctx.req.headers['x-auth-token'];
    if (typeof token !== 'string' || token === '') {
      throw new Refusal(
        'unauthorized',
        'X-Auth-Token is missing; it must hold a token of the identity service',
      );
    }
    const principal = await identity.verify(token);
    if (principal === undefined) {
      throw new Refusal(
        'unauthorized',
        'X-Auth-Token holds no valid token (unknown, expired or revoked); get a new one',
      );
    }
    ctx.state.principal = principal;
    return next();
  };
}

/**
 * The path's tenantId must be the token's tenant, by its id or its name; `ctx.state.tenant` is its id. Comes behind
 * `authenticate`. Throws `Refusal('forbidden')`.
 */
export const ownTenant: EdgeMiddleware = (ctx, next) => {
  const { tenant } = ctx.state.principal;
  const asked = ctx.params['tenantId'];
  if (asked !== tenant.id && asked !== tenant.name) {
    throw new Refusal('forbidden', 'tenantId in the path is not the tenant that the token was issued for');
  }
  ctx.state.tenant = tenant.id;
  return next();
};
