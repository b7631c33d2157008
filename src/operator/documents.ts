import { readFile } from 'node:fs/promises';
import { Refusal } from '../errors.js';
import { READ, type Route, route } from '../http/router.js';
import { quoted } from '../untrusted/text.js';

const DOCUMENTS = ['policy-api', 'ledger-api', 'settings', 'operations', 'security', 'glossary'] as const;

/** Routes for the documents of docs/ as plain text, and for `/` with links to them. */
export function documentRoutes(version: string): readonly Route[] {
  const docs = DOCUMENTS.map((name) => `/docs/${name}`);
  const operator = [
    '/metrics',
    '/operator/actors',
    '/operator/deliveries',
    '/operator/events',
    '/operator/accounts',
    '/operator/inbox',
  ];
  const start = route(READ, '/', (ctx) => {
    ctx.body = { name: 'mirzam', version, docs, health: '/health', operator };
  });
  const documents = route(READ, '/docs/:name', async (ctx) => {
    const { name = '' } = ctx.params;
    if (!(DOCUMENTS as readonly string[]).includes(name)) {
      throw new Refusal('not-found', `no document ${quoted(name)}; there are ${DOCUMENTS.join(', ')}`);
    }
    ctx.type = 'text/plain';
    ctx.body = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
  });
  return [start, documents];
}
