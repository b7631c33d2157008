import { Router } from '@koa/router';
import type { EdgeRouter, EdgeState } from './context.js';

/** The same routes, taken in the case that they are written in alone, as paths are by RFC 3986. */
export function caseSensitive(router: EdgeRouter): EdgeRouter {
  const strict = new Router<EdgeState, object>({ sensitive: true });
  for (const { path, methods, stack } of router.stack) {
    strict.register(path, methods, stack, { pathAsRegExp: path instanceof RegExp });
    // Whatever has GET is given HEAD anew, also where it was taken away on purpose.
    strict.stack.at(-1)!.methods = methods;
  }
  return strict;
}
