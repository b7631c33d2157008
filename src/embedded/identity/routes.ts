import { Router } from '@koa/router';
import type { EdgeContext, EdgeRouter, EdgeState } from '../../http/context.js';
import { acceptJson } from '../../http/negotiate.js';

/**
 * The tokens of the embedded identity (policy §5, rule 2): `POST /identity/v2.0/tokens`, the address that a client is
 * given as `{auth_url}` being `/identity/v2.0`.
 */
export function identityRoutes(
  issue: (request: unknown, client: string) => Promise<object>,
  body: (ctx: EdgeContext) => Promise<unknown>,
): EdgeRouter {
  const router = new Router<EdgeState, object>();
  router.post(['/identity/v2.0/tokens', '/tokens'], acceptJson, async (ctx) => {
    ctx.body = await issue(await body(ctx), ctx.state.place.client.key);
  });
  return router;
}
