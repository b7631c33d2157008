import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { ownTenant } from '../../http/authentication.js';
import { equalSecrets } from '../../system/equal-secrets.js';
import type { Tenants } from '../tenant/tenants.js';

/** Access to facts: for everybody, for callers with a token of the tenant, or for callers with a shared key. */
export interface FactsAuth {
  readonly auth: 'open' | 'token' | 'key';
  /** Set if `auth` is `key`. */
  readonly key: string | undefined;
}

/** Returns the checks of operation 1. `authenticated` checks the token of a request. */
export function factsAccess(
  { auth, key }: FactsAuth,
  authenticated: EdgeMiddleware,
  tenants: Tenants,
): EdgeMiddleware[] {
  if (auth === 'token') return [authenticated, ownTenant, knownTenant(tenants)];
  return auth === 'key' ? [sharedKey(key!)] : [];
}

/** Records that a valid token of the tenant was seen: the tenant is known from then on. Follows `ownTenant`. */
export function knownTenant(tenants: Tenants): EdgeMiddleware {
  return async (ctx, next) => {
    await tenants.seen(ctx.state.principal.tenant);
    return next();
  };
}

function sharedKey(key: string): EdgeMiddleware {
  return (ctx, next) => {
    if (!equalSecrets(ctx.get('x-facts-key'), key)) {
      throw new Refusal('unauthorized', 'X-Facts-Key: missing or not valid');
    }
    return next();
  };
}
