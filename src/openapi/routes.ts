import { createHash } from 'node:crypto';
import type { RouteGroup } from '../http/route-groups.js';
import { READ, type Route, route } from '../http/router.js';
import { routeFinder } from './coverage.js';
import { openApiDocument } from './document.js';
import { loadDocuments } from './pages/documents.js';
import { pageRoutes } from './pages/routes.js';
import { apiParts } from './parts.js';
import { startRoute } from './start.js';

const PATH = '/openapi.json';

/** The route group of the document: `.json` is part of its path. */
export const openApiGroup: RouteGroup = { prefix: PATH, literalPaths: true };

/**
 * Returns the routes of `/`, of the document, and of the pages below /docs. The document describes `routes` and these.
 * `windowMax` is WINDOW_MAX. Throws a `StartError` if the pages are not built.
 */
export function openApiRoutes(options: {
  readonly version: string;
  readonly windowMax: number;
  readonly routes: readonly Route[];
}): readonly Route[] {
  const { version, windowMax } = options;
  const built = once(() => {
    const routeOf = routeFinder([...options.routes, ...own]);
    const isServed = (method: string, path: string): boolean => routeOf(method, path) !== undefined;
    const document = openApiDocument(apiParts(windowMax), version, isServed);
    const text = JSON.stringify(document);
    return {
      document,
      text,
      etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
    };
  });
  const shown = route(READ, PATH, (ctx) => {
    const { text, etag } = built();
    ctx.type = 'json';
    ctx.set('ETag', etag);
    ctx.set('Cache-Control', 'no-cache');
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = text;
  });
  const own = [startRoute(version), shown, ...pageRoutes(() => built().document, loadDocuments())];
  return own;
}

/** Returns a function that makes its value at its first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
