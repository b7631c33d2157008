import { readFile } from 'node:fs/promises';
import { Router } from '@koa/router';
import type { EdgeRouter, EdgeState } from '../http/context.js';

/** Serves the API documents that the repository keeps in docs/, as the plain text that they are. */
export function documentRoutes(): EdgeRouter {
  const router = new Router<EdgeState, object>();
  router.get('/docs/policy-api', async (ctx) => {
    ctx.type = 'text/plain';
    ctx.body = await readFile(new URL('../../../docs/policy-api.md', import.meta.url), 'utf8');
  });
  return router;
}
