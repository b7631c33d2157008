import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import type { KindsView } from '../shapes.js';
import { operatorOnly } from '../viewer.js';

/** The route that lists the kinds of actors with their states, for operators. */
export function kindRoutes(options: {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  readonly states: ReadonlyMap<string, readonly string[]>;
}): readonly Route[] {
  const kinds = [...options.states].map(([kind, states]) => ({ kind, states }));
  return [
    route(READ, '/console/api/kinds', options.viewer, operatorOnly, (ctx) => {
      onlyOf(ctx, []);
      ctx.body = { kinds } satisfies KindsView;
    }),
  ];
}
