import type { EdgeContext, EdgeMiddleware, EdgeRouter } from './context.js';

/**
 * Takes a request to the first route, in the order of the routers, that has its path and its method. The routers'
 * own middleware does the same, but tries every route of every router, and composes the route anew each time.
 */
export function routing(routers: readonly EdgeRouter[]): EdgeMiddleware {
  const routes = routers.flatMap(({ stack }) =>
    stack.map(({ methods, regexp, paramNames, stack: handlers }) => ({
      methods,
      regexp,
      names: paramNames.map(({ name }) => name),
      handle: inOrder(handlers as EdgeMiddleware[]),
    })),
  );
  return (ctx, next) => {
    const { method = '' } = ctx.req;
    for (const { methods, regexp, names, handle } of routes) {
      const match = methods.includes(method) ? regexp.exec(ctx.state.path) : null;
      if (match === null) continue;
      ctx.captures = match.slice(1);
      ctx.params = paramsOf(names, ctx.captures);
      return handle(ctx, next);
    }
    return next();
  };
}

/** The parts of the path by their names, decoded; `arrive` has seen to it that they can be. */
function paramsOf(names: readonly string[], captures: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (let i = 0; i < names.length; i += 1) {
    const value = captures[i];
    if (value) params[names[i]!] = value.includes('%') ? decodeURIComponent(value) : value;
  }
  return params;
}

/** Several as one: each is given the next. */
function inOrder(all: readonly EdgeMiddleware[]): EdgeMiddleware {
  return all.reduceRight<EdgeMiddleware>(
    (following, one) => (ctx, next) => one(ctx, () => promised(following, ctx, next)),
    (_ctx, next) => next(),
  );
}

/** As Koa has it, `next` never throws: what fails at once is a rejection like any other. */
function promised(handle: EdgeMiddleware, ctx: EdgeContext, next: () => Promise<unknown>): Promise<unknown> {
  try {
    return Promise.resolve(handle(ctx, next));
  } catch (error) {
    return rejected(error);
  }
}

async function rejected(cause: unknown): Promise<never> {
  throw cause;
}
