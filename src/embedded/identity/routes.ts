import type { EdgeContext } from '../../http/context.js';
import { type Route, route } from '../../http/router.js';
import { acceptJson } from '../../http/media-types.js';

/** Route of the embedded identity (policy §5, rule 2): `POST /identity/v2.0/tokens`. A client's `{auth_url}` is `/identity/v2.0`. */
export function identityRoutes(
  issue: (request: unknown, client: string) => Promise<object>,
  body: (ctx: EdgeContext) => Promise<unknown>,
): readonly Route[] {
  return ['/identity/v2.0/tokens', '/tokens'].map((path) =>
    route(['POST'], path, acceptJson, async (ctx) => {
      ctx.body = await issue(await body(ctx), ctx.state.client);
    }),
  );
}
