import type { Context } from 'koa';
import type { EdgeMiddleware, EdgeState } from '../http/context.js';
import { plain, wholeNumber, wrongParameter as wrong } from '../http/query.js';
import { addressOf } from '../store/port.js';

/** Items of a page by default, and at most. */
export const LIMIT = 100;
export const LIMIT_MAX = 1_000;

/** Requested part of a listing. */
export interface Range {
  readonly tenant: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Returns the requested part of a listing of these kinds. Throws a `Refusal` that names the wrong parameter. */
export function rangeOf(ctx: Context, kinds: readonly string[]): Range {
  const tenant = tenantIn(ctx);
  const after = plain(ctx, 'after');
  if (after !== undefined && !isListed(after, kinds, tenant)) {
    throw wrong('after', 'must be the `next` of a page that was asked for with the same kind and tenant');
  }
  return { tenant, after, limit: limitIn(ctx) };
}

/** Returns the parameter `tenant`, or the tenant of this name after `tenantByName`. Throws a `Refusal` that names it. */
export function tenantIn(ctx: Context): string | undefined {
  const tenant = plain(ctx, 'tenant');
  if (tenant?.includes('/') === true) throw wrong('tenant', 'holds no slash');
  return (ctx.state as Partial<EdgeState>).askedTenant ?? tenant;
}

/** Returns the id of the tenant with an id or a name; undefined if none is known. */
export type ResolveTenant = (idOrName: string) => string | undefined | Promise<string | undefined>;

/** Makes the check that takes the name of a tenant in the parameter `tenant` for its id. Throws what `tenantIn` throws. */
export function tenantByName(resolve: ResolveTenant): EdgeMiddleware {
  return async (ctx, next) => {
    const asked = tenantIn(ctx);
    if (asked !== undefined) ctx.state.askedTenant = await resolve(asked);
    return next();
  };
}

/** Returns the parameter `limit`, or its default. Throws a `Refusal` that names it. */
export function limitIn(ctx: Context): number {
  return wholeNumber(ctx, 'limit', 1, LIMIT_MAX) ?? LIMIT;
}

function isListed(id: string, kinds: readonly string[], tenant: string | undefined): boolean {
  if (id.split('/', 3).length < 3) return false;
  const address = addressOf(id);
  return kinds.includes(address.kind) && (tenant ?? address.tenant) === address.tenant;
}
