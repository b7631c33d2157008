import { METHODS } from 'node:http';
import { Router } from '@koa/router';
import { Refusal } from '../errors.js';
import type { EdgeContext, EdgeMiddleware } from './context.js';
import { methodNotAllowed } from './failures/failure.js';
import { quoted } from '../untrusted/text.js';

/** A route of the service. It has exactly the listed methods: HEAD does not follow from GET. */
export interface Route {
  readonly methods: readonly string[];
  /**
   * A path of `@koa/router`, without a slash at its end (requests may have one) and case-sensitive (RFC 3986), or an
   * expression whose captures the handlers find in `ctx.captures`, undecoded.
   */
  readonly path: string | RegExp;
  /** The path as metrics show it: `path`, or for an expression a path of the same form. */
  readonly pattern: string;
  /** Checks and the handler, called in this order. */
  readonly handlers: readonly EdgeMiddleware[];
  /** True if the paths of this route are closed to later routes that would match. */
  readonly closes?: boolean;
}

/** The methods of a route that only reads. */
export const READ: readonly string[] = ['GET', 'HEAD'];

/** All methods that Node.js parses. */
export const ANY_METHOD: readonly string[] = METHODS;

/** A path that `@koa/router` cannot describe, with the `pattern` of its route. */
export interface PathExpression {
  readonly pattern: string;
  readonly expression: RegExp;
}

/** Makes a route. */
export function route(
  methods: readonly string[],
  path: string | PathExpression,
  ...handlers: readonly EdgeMiddleware[]
): Route {
  if (typeof path === 'string') return { methods, path, pattern: path, handlers };
  return { methods, path: path.expression, pattern: path.pattern, handlers };
}

/** Returns a route that closes its paths to later routes, such as `/rules/backtest` before `/rules/:ruleId`. */
export function closing(made: Route): Route {
  return { ...made, closes: true };
}

/**
 * Makes the router of these routes. The first match wins, so the busiest routes come first. The methods of a path may be
 * spread over several routes. Throws an `Error` for a path that ends in a slash.
 *
 * One search over the routes of the request's method replaces the middleware of `@koa/router`, which matches every route
 * and composes the handlers anew for each request (docs/adr/0038-koa-without-its-pipeline.md).
 */
export function createRouter(routes: readonly Route[]) {
  const matchers = routes.map(matcherOf);
  const every = new Set(matchers.flatMap(({ methods }) => methods));
  // The routes that a request of a method is compared with: those that have it, and those that close their paths.
  const byMethod = new Map(
    [...every].map((method) => [
      method,
      matchers.filter(({ route: { closes }, methods }) => closes === true || methods.includes(method)),
    ]),
  );

  const allowed = (path: string): readonly string[] => {
    const matching = matchers.filter(({ regexp }) => regexp.test(path));
    const last = matching.findIndex(({ route: { closes } }) => closes === true);
    const known = last === -1 ? matching : matching.slice(0, last + 1);
    const methods = new Set(known.flatMap((matcher) => matcher.methods));
    return methods.size === 0 ? [] : [...methods.add('OPTIONS')].toSorted();
  };
  const refusal = (method: string, path: string): Refusal => {
    const known = allowed(path);
    if (known.length > 0 && !known.includes(method)) return methodNotAllowed(method, known);
    return new Refusal('not-found', `no such path: ${quoted(path)}; / names what there is`);
  };
  const unrouted = async (ctx: EdgeContext): Promise<void> => {
    const methods = ctx.method === 'OPTIONS' ? allowed(ctx.state.path) : [];
    if (methods.length === 0) throw refusal(ctx.method, ctx.state.path);
    ctx.status = 204;
    ctx.set('Allow', methods.join(', '));
  };
  return {
    /**
     * Calls the first route that has the method and the path of a request. If there is none, answers OPTIONS of a known
     * path with 204 and Allow, and throws `refusal` for any other request.
     */
    dispatch(ctx: EdgeContext): unknown {
      const { path } = ctx.state;
      const { method = '' } = ctx.req;
      for (const { methods, pattern, regexp, names, handle } of byMethod.get(method) ?? []) {
        const match = regexp.exec(path);
        if (match === null) continue;
        if (!methods.includes(method)) break;
        ctx.state.route = pattern;
        ctx.captures = match.slice(1);
        ctx.params = paramsOf(names, ctx.captures);
        return handle(ctx, () => unrouted(ctx));
      }
      return unrouted(ctx);
    },
    /** Returns the route that `dispatch` would call. */
    find(method: string, path: string): Route | undefined {
      const first = byMethod.get(method)?.find(({ regexp }) => regexp.test(path));
      return first?.methods.includes(method) === true ? first.route : undefined;
    },
    /** Returns the methods of a path, OPTIONS included, in alphabetical order; none if the path is unknown. */
    allowed,
    /** Returns the refusal of a request without a route: 404 for an unknown path, 405 for a path with other methods only. */
    refusal,
  };
}

/** Compiles a route into the form in which requests are compared with it. */
function matcherOf(route: Route) {
  const { methods, path, pattern, handlers } = route;
  return { route, methods, pattern, ...compiled(path), handle: inOrder(handlers) };
}

interface CompiledPath {
  readonly regexp: RegExp;
  readonly names: readonly string[];
}

/** By path. Several routes of a service have the same path, and all services of a process have the same paths. */
const compiledPaths = new Map<string | RegExp, CompiledPath>();

/** Compiles a path with `@koa/router`, which has the syntax of paths. */
function compiled(path: string | RegExp): CompiledPath {
  const known = compiledPaths.get(path);
  if (known !== undefined) return known;
  if (typeof path === 'string' && /.\/$/.test(path)) {
    throw new Error(`write the route ${path} without its last slash`);
  }
  // The method is not used. `all` would make a list of all methods for each route.
  const layer = new Router({ sensitive: true }).get('route', path, () => undefined).route('route');
  if (layer === false) throw new Error(`no route was made of ${String(path)}`);
  const made = { regexp: layer.regexp, names: layer.paramNames.map(({ name }) => name) };
  compiledPaths.set(path, made);
  return made;
}

/** Returns the parameters by name, decoded. `readHead` has refused paths that cannot be decoded. */
function paramsOf(names: readonly string[], captures: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (let i = 0; i < names.length; i += 1) {
    const value = captures[i];
    if (value) params[names[i]!] = decoded(value);
  }
  return params;
}

/** Decodes a part of a path. Most ids are plain, and the call of `decodeURIComponent` costs five times the check. */
export function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** Composes handlers: each gets the following one as `next`. */
function inOrder(handlers: readonly EdgeMiddleware[]): EdgeMiddleware {
  return handlers.reduceRight<EdgeMiddleware>(
    (following, one) => (ctx, next) => one(ctx, () => promised(following, ctx, next)),
    (_ctx, next) => next(),
  );
}

/** As in Koa, `next` returns a promise: a synchronous throw becomes a rejection. */
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
