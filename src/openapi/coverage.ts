import { ANY_METHOD, createRouter, type Route } from '../http/router.js';
import { type ApiPart, methodAndPath } from './operation.js';

/** The differences between routes and operations: one sentence for each. */
export interface Differences {
  /** Routes without an operation. */
  readonly undocumented: readonly string[];
  /** Operations without a route. */
  readonly unserved: readonly string[];
}

/** Returns true if a route serves the operation. */
export type IsServed = (method: string, path: string) => boolean;

/** Makes the comparison of operations with these routes. */
export function servedBy(routes: readonly Route[]): IsServed {
  const router = createRouter(routes.filter(isOperation));
  return (method, path) => router.find(method, sampleOf(path)) !== undefined;
}

/**
 * Compares routes with operations, both ways. These routes need no operation: HEAD, the private paths of the console, and
 * a route that refuses all methods.
 */
export function differences(routes: readonly Route[], parts: readonly ApiPart[]): Differences {
  const router = createRouter(routes.filter(isOperation));
  const documented = new Set<string>();
  const unserved: string[] = [];
  for (const part of parts) {
    for (const key of Object.keys(part.operations)) {
      const { method, path } = methodAndPath(key);
      const route = router.find(method, sampleOf(path));
      if (route === undefined)
        unserved.push(`${key} is documented in the part "${part.tag}", and no route serves it`);
      else documented.add(`${method} ${route.pattern}`);
    }
  }
  const undocumented = routes
    .filter(isOperation)
    .flatMap(({ methods, pattern }) =>
      methods
        .filter((method) => method !== 'HEAD' && !documented.has(`${method} ${pattern}`))
        .map(
          (method) =>
            `${method} ${pattern} has no document: add an operation to a part of src/openapi/parts.ts`,
        ),
    );
  return { undocumented, unserved };
}

/** Returns true for a route of the public APIs. The types of the console's answers are in `src/console/shapes.ts`. */
function isOperation({ methods, pattern }: Route): boolean {
  return methods.length < ANY_METHOD.length && !/^\/console(?:\/|$)/.test(pattern);
}

/** Returns a path with a value for each parameter. */
function sampleOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, 'x');
}
