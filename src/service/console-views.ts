import { viewTurns } from '../console/views/view-turns.js';
import { deliveryRoutes } from '../console/views/delivery-routes.js';
import { eventRoutes } from '../console/views/event-routes.js';
import { inboxRoutes } from '../console/views/inbox-routes.js';
import { kindRoutes } from '../console/views/kind-routes.js';
import { ledgerRoutes } from '../console/views/ledger-routes.js';
import { createReceivers } from '../console/views/receivers.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import { statesOf } from './operator.js';
import { serverViews, type ConsoleParts } from './server-views.js';
import type { SharedParts } from './shared-parts.js';

/**
 * Returns the routes of what the console shows. `viewer` puts the viewer into `ctx.state`, `streamViewer` does so for a
 * live stream.
 */
export function viewRoutes(
  shared: SharedParts,
  parts: ConsoleParts,
  { viewer, streamViewer }: Readonly<Record<'viewer' | 'streamViewer', EdgeMiddleware>>,
): readonly Route[] {
  const { config, events, now } = shared;
  const { actors, readable: store, kinds, inbox, ledger } = parts;
  const inTurn = viewTurns();
  return [
    ...serverViews(shared, parts, { viewer, inTurn }),
    ...deliveryRoutes({ viewer, inTurn, store, receivers: createReceivers({ actors, store, now }) }),
    ...eventRoutes(events, streamViewer),
    ...kindRoutes({ viewer, states: statesOf(kinds) }),
    ...inboxRoutes({ viewer, inbox: inbox === undefined ? undefined : () => inbox.messages() }),
    ...ledgerRoutes({
      browse: ledger?.browse(actors),
      scoped: config.ledger?.auth === 'token',
      viewer,
    }),
  ];
}
