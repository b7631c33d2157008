import type { Authors } from '../../http/author.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { operatorOnly } from '../viewer.js';
import { type Demo, DEMO_RECEIVER } from './demo.js';

const PATH = '/console/api/demo';

export interface DemoRouteOptions {
  readonly demo: Demo;
  readonly authors: Authors;
  /** Sets `ctx.state.viewer`. */
  readonly viewer: EdgeMiddleware;
  /** Reads a JSON body. */
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
}

/** Routes of the demo, and the receiver of its webhooks. Development only. */
export function demoRoutes({ demo, authors, viewer, body }: DemoRouteOptions): readonly Route[] {
  return [
    route(READ, PATH, viewer, operatorOnly, (ctx) => {
      onlyOf(ctx, []);
      ctx.body = demo.view();
    }),
    route(['POST'], PATH, viewer, operatorOnly, async (ctx) => {
      onlyOf(ctx, []);
      ctx.body = await demo.start(authors.of(ctx));
    }),
    route(['POST'], DEMO_RECEIVER, async (ctx) => {
      await body(ctx);
      ctx.status = 204;
    }),
  ];
}
