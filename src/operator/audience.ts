import type { Context } from 'koa';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { onlyOf } from '../http/query.js';
import { tenantIn } from './query.js';

/** Those who use paths that operators have for all tenants, and each tenant for what is its own. */
export interface Audience {
  /** The beginning of the paths. */
  readonly prefix: string;
  /** What each request passes first. */
  readonly checks: readonly EdgeMiddleware[];
  /** What a request passes that may name a tenant in its query. */
  readonly listChecks: readonly EdgeMiddleware[];
  /** The part of a path that names the tenant, where only the path can. */
  readonly tenantPath: '' | '/:tenant';
  /** Returns the tenant whose things a request is about; undefined: those of any tenant. */
  readonly tenantOf: (ctx: EdgeContext) => string | undefined;
}

/** Operators. Their route group guards the paths. `byName` is `tenantByName`. */
export function operatorAudience(byName: EdgeMiddleware): Audience {
  const tenantOf = (ctx: EdgeContext): string | undefined => ctx.params['tenant'];
  return { prefix: '/operator', checks: [], listChecks: [byName], tenantPath: '/:tenant', tenantOf };
}

/** Tenants. `checks` set `ctx.state.tenant`. */
export function tenantAudience(checks: readonly EdgeMiddleware[]): Audience {
  const tenantOf = (ctx: EdgeContext): string => ctx.state.tenant;
  return { prefix: '/v1.0/:tenantId', checks, listChecks: checks, tenantPath: '', tenantOf };
}

/**
 * Returns the tenant whose list is asked for: `own`, or that of the parameter `tenant`; undefined: all tenants. Throws a
 * `Refusal` for a parameter other than `names`, of which `tenant` is for those without a tenant of their own.
 */
export function tenantAsked(
  ctx: Context,
  own: string | undefined,
  names: readonly string[],
): string | undefined {
  onlyOf(ctx, own === undefined ? names : names.filter((name) => name !== 'tenant'));
  return own ?? tenantIn(ctx);
}
