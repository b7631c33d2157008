import type { EdgeContext } from '../http/context.js';
import { setPageHeaders } from '../http/page-headers.js';
import { type PathExpression, READ, type Route, route } from '../http/router.js';
import { Refusal } from '../errors.js';
import { type Asset, type Assets, ENCODINGS } from './assets.js';

/** Every path of the console but those of its API and of mails, which have routes of their own. */
const PATHS: PathExpression = {
  pattern: '/console/*path',
  expression: /^\/console(?:\/(?!(?:api|mail)(?:\/|$))(.*))?$/,
};
const ASSET = /^assets\//;
/** For files whose name changes with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** For the page: browsers ask again, and get 304. */
const ASK_AGAIN = 'no-cache';

/**
 * Routes of the console's page and its assets. Every path that is not an asset answers the page, which shows what the path
 * names.
 */
export function pageRoutes({ page, files }: Assets): readonly Route[] {
  return [
    route(READ, PATHS, (ctx) => {
      const [name = ''] = ctx.captures ?? [];
      const asset = files.get(name);
      if (asset === undefined && ASSET.test(name)) {
        throw new Refusal(
          'not-found',
          'the console has no such asset: reload the page, the service has a newer one',
        );
      }
      answer(ctx, asset ?? page);
    }),
  ];
}

function answer(ctx: EdgeContext, asset: Asset): void {
  setPageHeaders(ctx.res);
  ctx.set({
    ETag: asset.etag,
    'Cache-Control': asset.immutable ? FOR_EVER : ASK_AGAIN,
    Vary: 'Accept-Encoding',
  });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = asset.contentType;
  const encoded = ENCODINGS.find(
    (known) => asset.encoded.has(known) && ctx.acceptsEncodings(known) === known,
  );
  if (encoded !== undefined) ctx.set('Content-Encoding', encoded);
  ctx.body = encoded === undefined ? asset.identity : asset.encoded.get(encoded);
}
