import type { RouteGroup } from '../http/route-groups.js';
import type { Route } from '../http/router.js';
import type { ReadInbox } from '../operator/inbox.js';
import type { Assets } from './assets.js';
import { mailRoutes } from './mail-routes.js';
import { pageRoutes } from './page-routes.js';
import { sessionRoutes, type SessionRouteOptions } from './session-routes.js';

export interface ConsoleOptions {
  readonly session: SessionRouteOptions;
  /** Routes below `/console/api`. They check the viewer themselves. */
  readonly views: readonly Route[];
  readonly assets: Assets;
  readonly inbox: ReadInbox;
}

/** The route group of the console. Ids in its paths may end in `.json`. */
export const consoleGroup: RouteGroup = { prefix: '/console', literalPaths: true, unstored: true };

/** Routes of the console: its session, its views, the mails of the development inbox, and its page. */
export function consoleRoutes({ session, views, assets, inbox }: ConsoleOptions): readonly Route[] {
  return [
    ...sessionRoutes(session),
    ...views,
    ...mailRoutes({ findViewer: session.findViewer, inbox }),
    ...pageRoutes(assets),
  ];
}
