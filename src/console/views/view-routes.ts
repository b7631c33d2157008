import type { InboxMessage } from '../../embedded/inbox.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf, plain, wrongParameter } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { type DeliveryView as Delivery, listDeliveriesAs } from '../../operator/deliveries-view.js';
import { deliveryFilterOf, knownDelivery } from '../../operator/delivery-routes.js';
import { eventStreamHandler } from '../../operator/event-routes.js';
import type { EventStream } from '../../operator/event-stream.js';
import { mailIn, mailsIn, type ReadInbox } from '../../operator/inbox.js';
import { firstAlertIn } from '../../delivery/form/posted-alerts.js';
import { type WebhookMessage, WHERE_TO_LOOK } from '../../delivery/port.js';
import { limitIn } from '../../operator/query.js';
import type { Store } from '../../store/port.js';
import { isObject } from '../../untrusted/json.js';
import type {
  DeliveriesView,
  DeliveryRowView,
  DeliveryView,
  InboxView,
  KindsView,
  MailRowView,
  MailView,
  SearchView,
} from '../shapes.js';
import { operatorOnly, tenantOf } from '../viewer.js';
import type { Overview } from './overview.js';
import type { Search } from './search.js';

export interface ViewRouteOptions {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  /** Puts the viewer of a live stream into `ctx.state`. */
  readonly streamViewer: EdgeMiddleware;
  /** `tenantByName`. */
  readonly byName: EdgeMiddleware;
  /** Lets few views that read much run at the same time. */
  readonly permit: EdgeMiddleware;
  readonly overview: Overview;
  readonly search: Search;
  readonly store: Store;
  readonly events: EventStream;
  readonly kinds: KindsView['kinds'];
  readonly inbox: ReadInbox;
}

/** Routes of the overview, the deliveries, the live events, the kinds of actors and the development inbox. */
export function viewRoutes(options: ViewRouteOptions): readonly Route[] {
  const { viewer, streamViewer, permit, overview, search, events, kinds } = options;
  return [
    route(READ, '/console/api/overview', viewer, async (ctx) => {
      onlyOf(ctx, []);
      ctx.body = await overview.view(tenantOf(ctx.state.viewer, undefined));
    }),
    route(READ, '/console/api/trouble', viewer, async (ctx) => {
      onlyOf(ctx, []);
      ctx.body = await overview.inTrouble(tenantOf(ctx.state.viewer, undefined));
    }),
    route(READ, '/console/api/search', viewer, permit, async (ctx) => {
      onlyOf(ctx, ['query']);
      const text = plain(ctx, 'query')?.trim() ?? '';
      ctx.body =
        text === ''
          ? ({ query: text, results: [], complete: true } satisfies SearchView)
          : await search(text, tenantOf(ctx.state.viewer, undefined));
    }),
    ...deliveryRoutes(options),
    // A tenant sees its own events alone, and no faults.
    route(
      ['GET'],
      '/console/api/events',
      streamViewer,
      eventStreamHandler(events, ({ state }) =>
        state.viewer.kind === 'operator'
          ? { operator: true }
          : { operator: false, tenant: state.viewer.tenantId },
      ),
    ),
    route(READ, '/console/api/kinds', viewer, operatorOnly, (ctx) => {
      onlyOf(ctx, []);
      ctx.body = { kinds } satisfies KindsView;
    }),
    ...inboxRoutes(options),
  ];
}

/** A tenant sees its own deliveries alone. */
function deliveryRoutes({ viewer, byName, permit, store }: ViewRouteOptions): readonly Route[] {
  return [
    route(READ, '/console/api/deliveries', viewer, byName, permit, async (ctx) => {
      const filter = deliveryFilterOf(ctx);
      const tenant = tenantOf(ctx.state.viewer, filter.tenant);
      const { items, next } = await listDeliveriesAs(store, { ...filter, tenant }, deliveryRow);
      ctx.body = { deliveries: items, next } satisfies DeliveriesView;
    }),
    route(READ, '/console/api/deliveries/:id', viewer, async (ctx) => {
      onlyOf(ctx, []);
      const { id } = ctx.params as { id: string };
      const delivery = await knownDelivery(store, id, tenantOf(ctx.state.viewer, undefined));
      ctx.body = { ...deliveryRow(delivery), message: delivery.message } satisfies DeliveryView;
    }),
  ];
}

/** Returns a delivery as a list shows it: without its message, which may be long. */
function deliveryRow({ message, ...row }: Delivery): DeliveryRowView {
  if (message.channel === 'email') return { ...row, title: message.subject, notifies: null };
  if (message.channel === 'mirror') return { ...row, title: '', notifies: null };
  const { ruleName, state } = membersOf(message);
  return {
    ...row,
    title: typeof ruleName === 'string' ? ruleName : '',
    // A message of a rule without states is a firing.
    notifies: state === 'resolved' || state === 'noData' ? state : 'firing',
  };
}

function membersOf({
  format,
  body,
}: Pick<WebhookMessage, 'format' | 'body'>): Readonly<Record<string, unknown>> {
  if (format === 'alertmanager') return firstAlertIn(body);
  const message: unknown = JSON.parse(body);
  return isObject(message) ? message : {};
}

function inboxRoutes({ viewer, inbox }: ViewRouteOptions): readonly Route[] {
  return [
    route(READ, '/console/api/inbox', viewer, operatorOnly, (ctx) => {
      onlyOf(ctx, ['before', 'limit']);
      const before = plain(ctx, 'before');
      const limit = limitIn(ctx);
      const all = mailsIn(inbox);
      const start = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
      if (before !== undefined && start === 0) {
        throw wrongParameter('before', 'must be the `next` of a page; that mail is no longer kept');
      }
      const page = all.slice(start, start + limit);
      const next = start + limit < all.length ? page.at(-1)!.id : null;
      ctx.body = { mails: page.map(mailRow), next } satisfies InboxView;
    }),
    route(READ, '/console/api/inbox/:id', viewer, operatorOnly, (ctx) => {
      onlyOf(ctx, []);
      const mail = mailIn(inbox, ctx.params['id']);
      const { text, html, headers } = mail;
      ctx.body = { ...mailRow(mail), text, hasHtml: html !== '', headers } satisfies MailView;
    }),
  ];
}

/** In the text of a mail of a rule: the page of its server. */
const OF_SERVER = new RegExp(`^${WHERE_TO_LOOK}: .*/console/servers/([^/\\s]+)/\\S+$`, 'm');

function mailRow({ id, from, to, subject, text, receivedAt }: InboxMessage): MailRowView {
  const [, tenant] = OF_SERVER.exec(text) ?? [];
  return { id, tenantId: tenant === undefined ? null : decoded(tenant), from, to, subject, receivedAt };
}

/** Returns a segment of a path decoded; null if it cannot be: a mail is anybody's. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
