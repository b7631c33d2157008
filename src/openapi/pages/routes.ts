import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Refusal } from '../../errors.js';
import type { EdgeContext } from '../../http/context.js';
import { setPageHeaders } from '../../http/page-headers.js';
import { READ, type Route, route } from '../../http/router.js';
import { quoted } from '../../untrusted/text.js';
import type { OpenApiDocument } from '../open-api.js';
import { type DocumentPage, type Documents, ROOT } from './documents.js';
import { Html } from '../../untrusted/html.js';
import { reference, referenceEntries } from './reference.js';
import { type EntryGroup, shell } from './shell.js';

/** Policy of the pages below /docs: no script. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the routes of the reference and of the documents. `document` returns the OpenAPI document. */
export function pageRoutes(
  document: () => OpenApiDocument,
  { pages, style, icon, images }: Documents,
): readonly Route[] {
  const isDecision = ({ name }: DocumentPage): boolean => name.startsWith('adr/');
  const documents = entriesOf(
    'Documents',
    pages.filter((one) => !isDecision(one)),
  );
  const decisions = entriesOf('Decisions', pages.filter(isDecision));
  let referencePage: Tagged | undefined;
  const shown = new Map<DocumentPage, Tagged>();

  const start = route(READ, '/docs', (ctx) => {
    referencePage ??= tagged(
      shell('API', [documents, decisions, ...referenceEntries(document())], reference(document())).toString(),
    );
    send(ctx, 'text/html', referencePage);
  });

  const styles = route(READ, '/docs/style.css', (ctx) => send(ctx, 'text/css', tagged(style)));

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
    if (found === undefined) {
      throw new Refusal('not-found', `no document ${quoted(name)}; /docs lists the documents`);
    }
    ctx.set('Vary', 'Accept');
    // A client that prefers neither gets the source.
    if (ctx.accepts('text/plain', 'text/html') !== 'text/html') {
      return send(ctx, 'text/plain', tagged(await readFile(new URL(found.file, ROOT))));
    }
    const made = shown.get(found) ?? tagged(documentPage(found, [documents, decisions]));
    shown.set(found, made);
    return send(ctx, 'text/html', made);
  });

  return [start, styles, icons, image, page];
}

function documentPage({ title, headings, html }: DocumentPage, others: readonly EntryGroup[]): string {
  const entries = headings.map(({ id, text }) => ({ href: `#${id}`, text }));
  const sections = { title: 'On this page', open: true, entries };
  return shell(title, entries.length === 0 ? others : [sections, ...others], new Html(html)).toString();
}

function entriesOf(title: string, pages: readonly DocumentPage[]): EntryGroup {
  const entries = pages.map((page) => ({ href: `/docs/${page.name}`, text: page.title }));
  return { title, open: title === 'Documents', entries };
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
