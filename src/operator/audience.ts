import type { Context } from 'koa';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { onlyOf } from '../http/query.js';
import { tenantIn } from './query.js';

/** Operators, or tenants: the same routes show operators all tenants, and a tenant what is its own. */
export interface Audience {
  /** The beginning of the paths. */
  readonly prefix: string;
  /** What each request passes first. */
  readonly checks: readonly EdgeMiddleware[];
  /** What a request passes that may name a tenant in its query. */
  readonly listChecks: readonly EdgeMiddleware[];
  /** The segment of a path that names the tenant; empty if `prefix` has it. */
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
 * Returns the tenant whose list is asked for: `own`, else that of the parameter `tenant`; undefined: all tenants. Throws a
 * `Refusal` for a parameter other than `names`, and for `tenant` if there is an `own` one.
 */
export function tenantAsked(
  ctx: Context,
  own: string | undefined,
  names: readonly string[],
): string | undefined {
  onlyOf(ctx, own === undefined ? names : names.filter((name) => name !== 'tenant'));
  return own ?? tenantIn(ctx);
}
