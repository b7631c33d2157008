import { readFile } from 'node:fs/promises';
import { Router } from '@koa/router';
import type { EdgeRouter, EdgeState } from '../http/context.js';

const DOCUMENTS = ['policy-api', 'ledger-api', 'settings', 'operations', 'security', 'glossary'] as const;

/** Serves the documents that the repository keeps in docs/, as the plain text that they are, and `/`, which leads on. */
export function documentRoutes(version: string): EdgeRouter {
  const router = new Router<EdgeState, object>();
  const docs = DOCUMENTS.map((name) => `/docs/${name}`);
  const operator = ['/metrics', '/operator/actors', '/operator/deliveries', '/operator/inbox'];
  router.get('/', (ctx) => {
    ctx.body = { name: 'mirzam', version, docs, health: '/health', operator };
  });
  for (const name of DOCUMENTS) {
    router.get(`/docs/${name}`, async (ctx) => {
      ctx.type = 'text/plain';
      ctx.body = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
    });
  }
  return router;
}
