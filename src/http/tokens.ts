import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.js';
import type { Identity } from '../identity/port.js';
import type { EdgeMiddleware } from './context.js';

const BEARER = /^bearer +([!-~]+) *$/i;

/**
 * X-Auth-Token (policy §5, rule 1) or `Authorization: Bearer` must hold a valid token; `ctx.state.principal` is who it
 * speaks for. Throws `Refusal`, `unauthorized` or, where the two differ, `bad-request`, or what `identity` throws.
 */
export function authenticate(identity: Identity): EdgeMiddleware {
  return async (ctx, next) => {
    const token = shownToken(ctx.req);
    if (token === undefined) {
      throw new Refusal(
        'unauthorized',
        'X-Auth-Token is missing; it, or Authorization: Bearer, must hold a token of the identity service',
      );
    }
    const principal = await identity.verify(token);
    if (principal === undefined) {
      throw new Refusal(
        'unauthorized',
        'X-Auth-Token or Authorization: Bearer holds no valid token (unknown, expired or revoked); get a new one',
      );
    }
    ctx.state.principal = principal;
    return next();
  };
}

/** Authorization with another scheme is not for us: a proxy in front may have asked for it. */
function shownToken(req: IncomingMessage): string | undefined {
  const { 'x-auth-token': own, authorization } = req.headers;
  const token = typeof own === 'string' && own !== '' ? own : undefined;
  if (authorization === undefined) return token;
  // Node keeps the first of several.
  if ((req.headersDistinct['authorization']?.length ?? 0) > 1) {
    throw new Refusal('bad-request', 'Authorization must be given once');
  }
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined && token !== undefined && bearer !== token) {
    throw new Refusal(
      'bad-request',
      'X-Auth-Token and Authorization: Bearer hold two tokens; send one of them, or the same token in both',
    );
  }
  return token ?? bearer;
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
