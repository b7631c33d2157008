import type { EdgeMiddleware } from '../../http/context.js';
import { type Route, route } from '../../http/router.js';
import { eventStreamHandler } from '../../operator/event-routes.js';
import type { EventStream } from '../../operator/event-stream.js';

/** Route of the live events. A tenant sees its own alone, and no faults. */
export function eventRoutes(stream: EventStream, viewer: EdgeMiddleware): readonly Route[] {
  const events = eventStreamHandler(stream, ({ state }) =>
    state.viewer.kind === 'operator'
      ? { operator: true }
      : { operator: false, tenant: state.viewer.tenantId },
  );
  return [route(['GET'], '/console/api/events', viewer, events)];
}
