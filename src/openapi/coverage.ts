import { ANY_METHOD, createRouter, type Route } from '../http/router.js';

/** Makes the function that returns the route of an operation; undefined if none serves it. */
export function routeFinder(routes: readonly Route[]) {
  const router = createRouter(routes.filter(isOperation));
  return (method: string, path: string) => router.find(method, path.replaceAll(/\{\w+\}/g, 'x'));
}

/**
 * Returns true for a route of the public APIs, which needs an operation. A route that refuses all methods does not. The types
 * of the console's answers are in `src/console/shapes.ts`.
 */
export function isOperation({ methods, pattern }: Route): boolean {
  return methods.length < ANY_METHOD.length && !/^\/console(?:\/|$)/.test(pattern);
}
