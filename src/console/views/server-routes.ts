import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { choice, onlyOf, plain, wholeNumber } from '../../http/query.js';
import { rangeOf } from '../../operator/query.js';
import type { HistoryView, ServerState } from '../../policy/explain/shapes.js';
import { shownTransition } from '../../policy/http/presentation.js';
import { isServerId } from '../../policy/http/path-ids.js';
import { HISTORY, HISTORY_MAX } from '../../policy/http/routes.js';
import type { Policy } from '../../policy/policy.js';
import { unknownServer } from '../../policy/server/server-decisions.js';
import { SERVER } from '../../policy/server/server-kind.js';
import { SERVER_STATES } from '../../policy/server/server-machine.js';
import type { Store } from '../../store/port.js';
import { tenantOf } from '../viewer.js';
import { findServers } from './server-search.js';
import { ifUnknown, type ShowServer } from './server-view.js';

export interface ServerRouteOptions {
  readonly store: Store;
  readonly policy: Pick<Policy, 'explain'>;
  /** Sets `ctx.state.viewer`. */
  readonly viewer: EdgeMiddleware;
  /** Makes views that read much take turns. */
  readonly inTurn: EdgeMiddleware;
  readonly showServer: ShowServer;
  /** Returns ms. */
  readonly now: () => number;
}

/** Routes of the servers that the viewer may see. */
export function serverRoutes(options: ServerRouteOptions): readonly Route[] {
  const { store, policy, viewer, inTurn, showServer, now } = options;

  const list = route(READ, '/console/api/servers', viewer, inTurn, async (ctx) => {
    onlyOf(ctx, ['query', 'tenant', 'state', 'after', 'limit']);
    const { tenant, after, limit } = rangeOf(ctx, [SERVER]);
    const search = {
      query: plain(ctx, 'query'),
      tenant: tenantOf(ctx.state.viewer, tenant),
      state: choice(ctx, 'state', SERVER_STATES) as ServerState | undefined,
      after,
      limit,
    };
    ctx.body = await findServers(store, search, now);
  });

  const server = route(READ, '/console/api/servers/:tenant/:server', viewer, inTurn, async (ctx) => {
    onlyOf(ctx, []);
    const { tenant, server: serverId } = visibleServer(ctx);
    ctx.body = await showServer(tenant, serverId, isOwner(ctx) && isServerId(serverId) ? 'new' : 'refused');
  });

  const history = route(READ, '/console/api/servers/:tenant/:server/history', viewer, async (ctx) => {
    onlyOf(ctx, ['limit']);
    const { tenant, server: serverId } = visibleServer(ctx);
    const limit = wholeNumber(ctx, 'limit', 1, HISTORY_MAX) ?? HISTORY;
    const reading = policy.explain.history(tenant, serverId, limit);
    const transitions = await (isOwner(ctx) && isServerId(serverId) ? ifUnknown(reading, () => []) : reading);
    ctx.body = { history: transitions.map(shownTransition) } satisfies HistoryView;
  });

  return [list, server, history];
}

/** True for a tenant's viewer. A server begins with its first rule: its tenant sees the page where that rule is made. */
const isOwner = ({ state }: EdgeContext): boolean => state.viewer.kind === 'tenant';

/** Returns the server in the path. Throws `Refusal('not-found')` if it belongs to another tenant than the viewer. */
function visibleServer(ctx: EdgeContext): { readonly tenant: string; readonly server: string } {
  const { tenant = '', server = '' } = ctx.params;
  if (tenantOf(ctx.state.viewer, tenant) !== tenant) throw unknownServer(server);
  return { tenant, server };
}
