import { Refusal } from '../../errors.js';
import { bearerOf, ownTenant } from '../../http/authentication.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { equalSecrets } from '../../system/equal-secrets.js';
import { type Tenants, unknownTenant } from '../tenant/tenants.js';

/** Access to facts: for everybody, for callers with a token of the tenant, or for callers with a shared key. */
interface FactsAuth {
  readonly auth: 'open' | 'token' | 'key';
  /** Set if `auth` is `key`. */
  readonly key: string | undefined;
}

/** Who may send measurements. */
export interface FactsAccess {
  /** The checks before the body of operation 1, and of facts by entity. */
  readonly checks: readonly EdgeMiddleware[];
  /** The same for sources, which may send the key as `Authorization: Bearer`: many cannot send other headers. */
  readonly sourceChecks: readonly EdgeMiddleware[];
  /**
   * Returns the tenant in the path of a request that passed the checks, and counts the request for it. Throws
   * `Refusal('not-found')` for an unknown tenant: strangers cannot fill the store.
   */
  admit(ctx: EdgeContext): string | Promise<string>;
}

/** Makes the access to facts. `authenticated` checks the token of a request. */
export function factsAccess(
  { auth, key }: FactsAuth,
  authenticated: EdgeMiddleware,
  tenants: Tenants,
): FactsAccess {
  const checksOf = (keyCheck: (key: string) => EdgeMiddleware): readonly EdgeMiddleware[] => {
    if (auth === 'token') return [authenticated, ownTenant, knownTenant(tenants)];
    return auth === 'key' ? [keyCheck(key!)] : [];
  };
  const admitted = (ctx: EdgeContext, tenant: string | undefined): string => {
    if (tenant === undefined) throw unknownTenant(tenantIdOf(ctx));
    ctx.state.tenant = tenant;
    // With open facts the tenant in the path proves nothing about the caller.
    ctx.state.permit.countForTenant(tenant, auth !== 'open');
    return tenant;
  };
  return {
    checks: checksOf(sharedKey),
    sourceChecks: checksOf(sourceKey),
    admit(ctx) {
      // A token names its tenant. The path may hold the id or the name of another tenant.
      const tenant = auth === 'token' ? ctx.state.tenant : tenants.resolve(tenantIdOf(ctx));
      return tenant instanceof Promise ? tenant.then((one) => admitted(ctx, one)) : admitted(ctx, tenant);
    },
  };
}

const tenantIdOf = (ctx: EdgeContext): string => (ctx.params as { tenantId: string }).tenantId;

/** Records that a valid token of the tenant was seen: the tenant is known from then on. Follows `ownTenant`. */
export function knownTenant(tenants: Tenants): EdgeMiddleware {
  return async (ctx, next) => {
    await tenants.seen(ctx.state.principal.tenant);
    return next();
  };
}

/** Makes the check of the key in X-Facts-Key. */
function sharedKey(key: string): EdgeMiddleware {
  return (ctx, next) => {
    if (!equalSecrets(ctx.get('x-facts-key'), key)) {
      throw new Refusal('unauthorized', 'X-Facts-Key: missing or not valid');
    }
    return next();
  };
}

/** Makes the check of the key in X-Facts-Key, or in `Authorization: Bearer` without it. */
function sourceKey(key: string): EdgeMiddleware {
  return (ctx, next) => {
    const shown = ctx.get('x-facts-key') || bearerOf(ctx.req) || '';
    if (!equalSecrets(shown, key)) {
      throw new Refusal(
        'unauthorized',
        'the key of facts is missing or not valid; X-Facts-Key, or Authorization: Bearer, must hold it',
      );
    }
    return next();
  };
}
