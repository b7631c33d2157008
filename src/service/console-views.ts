import { deliveryRoutes } from '../console/views/delivery-routes.js';
import { inboxRoutes } from '../console/views/inbox-routes.js';
import { kindRoutes } from '../console/views/kind-routes.js';
import { ledgerViews } from '../console/views/ledger-views.js';
import { createReceivers } from '../console/views/receivers.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import { statesOf, type OperatorParts } from './operator.js';
import type { SharedParts } from './shared-parts.js';

/** Returns the routes of what the console shows. `viewer` puts the viewer into `ctx.state`. */
export function viewRoutes(
  { config, now }: SharedParts,
  { actors, store, kinds, inbox, ledger }: OperatorParts,
  viewer: EdgeMiddleware,
): readonly Route[] {
  return [
    ...deliveryRoutes({ viewer, receivers: createReceivers({ actors, store, now }) }),
    ...kindRoutes({ viewer, states: statesOf(kinds) }),
    ...inboxRoutes({ viewer, inbox: inbox === undefined ? undefined : () => inbox.messages() }),
    ...ledgerViews({
      browse: ledger?.browse(actors),
      scoped: config.ledger?.auth === 'token',
      viewer,
    }),
  ];
}
