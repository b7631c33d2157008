import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Refusal } from '../../errors.js';
import type { EdgeContext } from '../../http/context.js';
import { setPageHeaders } from '../../http/page-headers.js';
import { READ, type Route, route } from '../../http/router.js';
import { lruCache } from '../../system/lru-cache.js';
import { quoted } from '../../untrusted/text.js';
import type { OpenApiDocument } from '../open-api.js';
import { SERVICE } from '../policy/examples.js';
import { type DocumentPage, type Documents, ROOT } from './documents.js';
import { Html } from '../../untrusted/html.js';
import { type ReferencePage, referenceOverview, referencePages } from './reference.js';
import { searchIndex } from './search-index.js';
import { type EntryGroup, shell } from './shell.js';

/** Policy of the pages below /docs: the service's own script, which asks for the search index. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Maximum number of pages that are kept, each for one address of the service. */
const KEPT = 100;

/**
 * Returns the routes of the reference and of the documents. `document` returns the OpenAPI document, `addressOf` the address
 * of the service as the reader has it: pages have it in place of that of the examples.
 */
export function pageRoutes(
  document: () => OpenApiDocument,
  { pages, style, script, icon, images }: Documents,
  addressOf: (req: IncomingMessage) => string,
): readonly Route[] {
  let reference: readonly ReferencePage[] | undefined;
  const referenceOf = (): readonly ReferencePage[] => (reference ??= referencePages(document()));
  const kept = lruCache<Tagged>(KEPT);

  const sendPage = (ctx: EdgeContext, name: string, make: () => Html): void => {
    const address = addressOf(ctx.req);
    const key = `${address} ${name}`;
    let page = kept.get(key);
    if (page === undefined) {
      page = tagged(make().toString().replaceAll(SERVICE, address));
      kept.set(key, page);
    }
    send(ctx, 'text/html', page);
  };
  const framed = (name: string, title: string, sections: readonly Section[], main: Html): Html =>
    shell(title, contentsOf(name, sections, referenceOf(), pages), main);

  const start = route(READ, '/docs', (ctx) =>
    sendPage(ctx, '', () =>
      framed('', 'API and documents', [], referenceOverview(document(), referenceOf())),
    ),
  );

  const apiPage = route(READ, '/docs/api/:part', (ctx) => {
    const name = `api/${ctx.params['part'] ?? ''}`;
    const found = referenceOf().find((one) => one.name === name);
    if (found === undefined) throw unknownPage(name);
    sendPage(ctx, name, () => framed(name, found.title, found.sections, found.main()));
  });

  let index: { readonly plain: Tagged; readonly packed: Tagged } | undefined;
  const search = route(READ, '/docs/search-index', (ctx) => {
    if (index === undefined) {
      const text = JSON.stringify(searchIndex(referenceOf(), pages));
      index = { plain: tagged(text), packed: tagged(gzipSync(text)) };
    }
    const isPacked = ctx.acceptsEncodings('gzip') === 'gzip';
    ctx.vary('Accept-Encoding');
    if (isPacked) ctx.set('Content-Encoding', 'gzip');
    send(ctx, 'json', isPacked ? index.packed : index.plain);
  });

  const styles = route(READ, '/docs/style.css', (ctx) => send(ctx, 'text/css', tagged(style)));

  const scripts = route(READ, '/docs/script.js', (ctx) => send(ctx, 'text/javascript', tagged(script)));

  const icons = route(READ, '/docs/icon.svg', (ctx) => send(ctx, 'image/svg+xml', tagged(icon)));

  const image = route(READ, '/docs/images/:name', async (ctx) => {
    const { name = '' } = ctx.params;
    if (!images.includes(name)) throw new Refusal('not-found', `no image ${quoted(name)}`);
    const bytes = await readFile(new URL(`docs/images/${name}`, ROOT));
    send(ctx, name.endsWith('.svg') ? 'image/svg+xml' : 'image/png', tagged(bytes));
  });

  const page = route(READ, '/docs/*name', async (ctx) => {
    const { name = '' } = ctx.params;
    const found = pages.find((one) => one.name === name);
    if (found === undefined) throw unknownPage(name);
    ctx.set('Vary', 'Accept');
    // A client that prefers neither gets the source, which the package does not have of each page.
    const source =
      ctx.accepts('text/plain', 'text/html') === 'text/html' ? undefined : await sourceOf(found.file);
    if (source !== undefined) return send(ctx, 'text/plain', tagged(source));
    const sections = found.sections.filter(({ depth }) => depth === 2);
    return sendPage(ctx, name, () => framed(name, found.title, sections, new Html(found.html)));
  });

  return [start, apiPage, search, styles, scripts, icons, image, page];
}

/** Returns the Markdown of a page; undefined without its file. */
async function sourceOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(new URL(file, ROOT));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function unknownPage(name: string): Refusal {
  return new Refusal('not-found', `no document ${quoted(name)}; /docs lists the documents`);
}

interface Section {
  readonly id: string;
  readonly title: string;
}

/** Returns the list beside a page. `name`: that of the page; `sections`: its own. */
function contentsOf(
  name: string,
  sections: readonly Section[],
  reference: readonly ReferencePage[],
  pages: readonly DocumentPage[],
): readonly EntryGroup[] {
  const isDecision = (one: DocumentPage): boolean => one.name.startsWith('adr/');
  const linked = (
    title: string,
    isOpen: boolean,
    all: readonly (DocumentPage | ReferencePage)[],
  ): EntryGroup => ({
    title,
    open: isOpen,
    entries: all.map((one) => ({ href: `/docs/${one.name}`, text: one.title, current: one.name === name })),
  });
  const own: EntryGroup = {
    title: 'On this page',
    open: true,
    entries: sections.map(({ id, title }) => ({ href: `#${id}`, text: title })),
  };
  return [
    ...(sections.length === 0 ? [] : [own]),
    linked(
      'Documents',
      true,
      pages.filter((one) => !isDecision(one)),
    ),
    linked('API', true, reference),
    linked('Decisions', name.startsWith('adr/'), pages.filter(isDecision)),
  ];
}

function send(ctx: EdgeContext, type: string, body: Tagged): void {
  setPageHeaders(ctx.res, POLICY);
  answerCached(ctx, type, body);
}

/** A body with its ETag. */
export interface Tagged {
  readonly body: string | Buffer;
  readonly etag: string;
}

/** Returns a body with its ETag, a part of its hash. */
export function tagged(body: string | Buffer): Tagged {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Answers a body with its ETag. A client that has it already gets 304. */
export function answerCached(ctx: EdgeContext, type: string, { body, etag }: Tagged): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = type;
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}
