import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';
import type { Identity, Principal } from '../identity/port.js';
import type { EdgeMiddleware } from './context.js';
import { holderOf, type Session } from './session.js';

const BEARER = /^bearer +([!-~]+) *$/i;

/**
 * Makes the check of the token in X-Auth-Token (policy §5, rule 1) or `Authorization: Bearer`. Sets
 * `ctx.state.principal`. The check throws the errors of `verifiedPrincipal`.
 */
export function authenticate(identity: Identity): EdgeMiddleware {
  return async (ctx, next) => {
    ctx.state.principal = await verifiedPrincipal(identity, tokenOf(ctx.req));
    return next();
  };
}

/** As `authenticate`. A tenant's session of the console takes the place of a missing header. */
export function authenticateOrSession(identity: Identity): EdgeMiddleware {
  return async (ctx, next) => {
    const { session } = ctx.state;
    // A cache does not know that the answer is for one viewer alone.
    if (session !== undefined) ctx.set('Cache-Control', 'no-store');
    ctx.state.principal =
      session === undefined
        ? await verifiedPrincipal(identity, tokenOf(ctx.req))
        : await sessionPrincipal(identity, session);
    return next();
  };
}

/**
 * Returns the principal of a request's token. Throws `Refusal('unauthorized')` for a missing or invalid token, and the
 * errors of `identity.verify`.
 */
export async function verifiedPrincipal(identity: Identity, token: string | undefined): Promise<Principal> {
  if (token === undefined) {
    throw new Refusal(
      'unauthorized',
      'X-Auth-Token is missing; it, or Authorization: Bearer, must hold a token of the identity service',
    );
  }
  const principal = await identity.verify(token);
  if (principal !== undefined) return principal;
  throw new Refusal(
    'unauthorized',
    'X-Auth-Token or Authorization: Bearer holds no valid token (unknown, expired or revoked); get a new one',
  );
}

/** Returns the principal of a tenant's session. Throws what `verifiedPrincipal` and `holderOf` throw. */
export async function sessionPrincipal(identity: Identity, session: Session): Promise<Principal> {
  const holder = holderOf(session);
  if (holder.kind === 'tenant') {
    return 'token' in holder
      ? verifiedPrincipal(identity, holder.token)
      : { ...holder.principal, expiresAt: session.endsAt };
  }
  throw new Refusal(
    'forbidden',
    'the session of the console is an operator’s, this path is for tenants: send X-Auth-Token, or log in as the tenant',
  );
}

/**
 * Returns the token of X-Auth-Token or `Authorization: Bearer`. Ignores an Authorization of another scheme, which may be
 * meant for a proxy. Throws `Refusal('bad-request')` if the two headers differ.
 */
export function tokenOf(req: IncomingMessage): string | undefined {
  const { 'x-auth-token': own, authorization } = req.headers;
  const token = typeof own === 'string' && own !== '' ? own : undefined;
  if (authorization === undefined) return token;
  const bearer = bearerOf(req);
  if (bearer !== undefined && token !== undefined && bearer !== token) {
    throw new Refusal(
      'bad-request',
      'X-Auth-Token and Authorization: Bearer hold two tokens; send one of them, or the same token in both',
    );
  }
  return token ?? bearer;
}

/**
 * Returns what `Authorization: Bearer` holds; undefined without it, and for another scheme. Throws `Refusal('bad-request')` for
 * several headers.
 */
export function bearerOf(req: IncomingMessage): string | undefined {
  const { authorization } = req.headers;
  if (authorization === undefined) return undefined;
  // `req.headers` holds only the first of several.
  if ((req.headersDistinct['authorization']?.length ?? 0) > 1) {
    throw new Refusal('bad-request', 'Authorization must be given once');
  }
  return BEARER.exec(authorization)?.[1];
}

/**
 * Checks that the path's tenantId is the id or the name of the token's tenant. Sets `ctx.state.tenant`. Follows
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

/**
 * Counts the request for the token's tenant. Follows `ownTenant`: a stranger without a valid token uses nothing of a
 * tenant's share. Throws `Refusal('unavailable')`.
 */
export const countForTenant: EdgeMiddleware = (ctx, next) => {
  ctx.state.permit.countForTenant(ctx.state.tenant, true);
  return next();
};
