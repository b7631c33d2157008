import { Refusal } from '../errors.js';
import type { EdgeMiddleware, EdgeRouter } from './context.js';
import { methodNotAllowed } from './failures/failure.js';
import { quoted } from './failures/quoted.js';

/** Comes behind all routes: answers OPTIONS of a known path, throws `unroutedRefusal` for everything else. */
export function unrouted(routers: readonly EdgeRouter[]): EdgeMiddleware {
  return (ctx) => {
    const allowed = ctx.method === 'OPTIONS' ? allowedMethods(routers, ctx.state.path) : [];
    if (allowed.length === 0) throw unroutedRefusal(routers, ctx.method, ctx.state.path);
    ctx.status = 204;
    ctx.set('Allow', allowed.join(', '));
  };
}

/** Why no route took a request: its path is unknown (404), or known with other methods only (405). */
export function unroutedRefusal(routers: readonly EdgeRouter[], method: string, path: string): Refusal {
  const allowed = allowedMethods(routers, path);
  if (allowed.length > 0 && !allowed.includes(method)) return methodNotAllowed(method, allowed);
  return new Refusal('not-found', `no such path: ${quoted(path)}; / names what there is`);
}

/** What the routes of a path take, OPTIONS included, in alphabetical order; nothing where the path is unknown. */
export function allowedMethods(routers: readonly EdgeRouter[], path: string): string[] {
  const layers = routers.flatMap((router) => router.match(path, 'OPTIONS').path);
  const methods = new Set(layers.flatMap((layer) => layer.methods));
  return methods.size === 0 ? [] : [...methods.add('OPTIONS')].toSorted();
}
