import { Readable } from 'node:stream';
import type { EdgeContext, EdgeMiddleware } from '../http/context.js';
import { READ, type Route, route } from '../http/router.js';
import type { EventStream } from './event-stream.js';
import { onlyOf, plain } from '../http/query.js';
import { tenantIn } from './query.js';

/** The reader: an operator, or a tenant, who gets the events with the tenant's id alone. */
export type EventScope =
  | { readonly operator: true; readonly tenant?: undefined }
  | { readonly operator: false; readonly tenant: string };

/** Time after which a client whose connection is lost opens another one, ms. */
const RETRY_MS = 2_000;

/**
 * Makes the handler of a stream of Server-Sent Events (WHATWG HTML, "Server-sent events"). Parameters: `tenant`, `server`,
 * and `lastEventId` for clients that cannot send `Last-Event-ID`. `scopeOf` says whose events the client may see. The
 * stream ends with `ctx.state.over`.
 */
export function eventStreamHandler(
  stream: EventStream,
  scopeOf: (ctx: EdgeContext) => EventScope,
): EdgeMiddleware {
  return (ctx) => {
    onlyOf(ctx, ['tenant', 'server', 'lastEventId']);
    const scope = scopeOf(ctx);
    const tenant = tenantIn(ctx);
    const filter = { tenant: scope.operator ? tenant : scope.tenant, server: plain(ctx, 'server') };
    const { req, res, state } = ctx;
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    ctx.type = 'text/event-stream';
    ctx.status = 200;
    if (ctx.method === 'HEAD') return ctx.flushHeaders();
    const lastId = ctx.get('last-event-id') || plain(ctx, 'lastEventId');
    const body = new Readable({ read: () => undefined });
    body.push(`retry: ${RETRY_MS}\n\n`);
    const end = (): void => {
      body.push(null);
      // A client that does not read would hold up the end of the service.
      if (res.writableLength > 0) req.socket.destroy();
    };
    const leave = stream.open(
      {
        filter,
        party: scope.tenant,
        send: (bytes) => void body.push(bytes),
        unread: () => body.readableLength + res.writableLength,
        end,
        cut: () => void req.socket.destroy(),
      },
      lastId,
    );
    body.once('close', leave);
    whenOver(state.over, () => {
      leave();
      end();
    });
    // The number of streams is limited; a permit for so long would be missed by others.
    state.permit.pause();
    ctx.body = body;
    ctx.flushHeaders();
  };
}

function whenOver(over: AbortSignal | undefined, callback: () => void): void {
  if (over?.aborted === true) callback();
  else over?.addEventListener('abort', callback, { once: true });
}

/**
 * Route of the live events of this node, guarded by the operators' route group. `staying` ends a stream with its session,
 * `byName` is `tenantByName`.
 */
export function eventRoutes(
  stream: EventStream,
  staying: EdgeMiddleware,
  byName: EdgeMiddleware,
): readonly Route[] {
  return [
    route(
      READ,
      '/operator/events',
      staying,
      byName,
      eventStreamHandler(stream, () => ({ operator: true })),
    ),
  ];
}
