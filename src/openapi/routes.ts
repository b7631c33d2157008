import type { IncomingMessage } from 'node:http';
import type { RouteGroup } from '../http/route-groups.js';
import { READ, type Route, route } from '../http/router.js';
import { routeFinder } from './coverage.js';
import { openApiDocument } from './document.js';
import { loadDocuments } from './pages/documents.js';
import type { OpenApiDocument } from './open-api.js';
import { answerCached, pageRoutes, type Tagged, tagged } from './pages/routes.js';
import { apiParts } from './parts.js';
import { rulesFileSchema } from './rules-file.js';
import { startRoute } from './start.js';
import { verifyRoute } from './pages/verify-page.js';

const PATH = '/openapi.json';

/** The route group of the document: `.json` is part of its path. */
export const openApiGroup: RouteGroup = { prefix: PATH, literalPaths: true };

/** The route group of schemas, whose paths end in `.json`, too. */
export const schemasGroup: RouteGroup = { prefix: '/schemas', literalPaths: true };

/**
 * Returns the routes of `/`, of the document, and of the pages below /docs. The document describes `routes` and these.
 * `windowMax` is WINDOW_MAX. Throws a `StartError` if the pages are not built.
 */
export function openApiRoutes(options: {
  readonly version: string;
  readonly windowMax: number;
  readonly routes: readonly Route[];
  /** Returns the address of the service as the sender of a request has it. */
  readonly addressOf: (req: IncomingMessage) => string;
}): readonly Route[] {
  const { version, windowMax } = options;
  let document: OpenApiDocument | undefined;
  const documentOf = (): OpenApiDocument => {
    if (document !== undefined) return document;
    const routeOf = routeFinder([...options.routes, ...own]);
    const isServed = (method: string, path: string): boolean => routeOf(method, path) !== undefined;
    return (document = openApiDocument(apiParts(windowMax), version, isServed));
  };
  let shownDocument: Tagged | undefined;
  const shown = route(READ, PATH, (ctx) => {
    shownDocument ??= tagged(JSON.stringify(documentOf()));
    answerCached(ctx, 'json', shownDocument);
  });
  let rulesSchema: Tagged | undefined;
  const rulesFile = route(READ, '/schemas/rules.json', (ctx) => {
    rulesSchema ??= tagged(JSON.stringify(rulesFileSchema()));
    answerCached(ctx, 'application/schema+json', rulesSchema);
  });
  const pages = pageRoutes(documentOf, loadDocuments(), options.addressOf);
  const own = [startRoute(version), shown, rulesFile, verifyRoute(), ...pages];
  return own;
}
