import type { EdgeContext } from '../http/context.js';
import { acceptJson } from '../http/media-types.js';
import { type Route, route } from '../http/router.js';

/**
 * The tokens of the embedded identity (policy §5, rule 2): `POST /identity/v2.0/tokens`. Clients that have
 * `/identity/v2.0` as `{auth_url}` use this path. `issue` makes a token for a client address; `body` reads the JSON body.
 */
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
