import { createHash } from 'node:crypto';
import type { Area } from '../http/areas.js';
import { acceptJson } from '../http/media-types.js';
import { READ, type Route, route } from '../http/router.js';
import { servedBy } from './coverage.js';
import { openApiDocument } from './document.js';
import { apiParts } from './parts.js';

const PATH = '/openapi.json';

/** The area of the document: `.json` is part of its path. */
export const openApiArea: Area = { prefix: PATH, literalPaths: true };

/**
 * Returns the route of the document, which describes these routes and itself. `windowMax` is WINDOW_MAX.
 */
export function openApiRoutes(options: {
  readonly version: string;
  readonly windowMax: number;
  readonly routes: readonly Route[];
}): readonly Route[] {
  const shown = route(READ, PATH, acceptJson, (ctx) => {
    ctx.type = 'json';
    ctx.set('ETag', etag);
    ctx.set('Cache-Control', 'no-cache');
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = text;
  });
  const isServed = servedBy([...options.routes, shown]);
  const document = openApiDocument(apiParts(options.windowMax), options.version, isServed);
  const text = JSON.stringify(document);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return [shown];
}
