import { Refusal } from '../../errors.js';
import type { Authors } from '../../http/author.js';
import type { EdgeContext } from '../../http/context.js';
import { choice, onlyOf, plain, wrongParameter } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { RECEIVER_ID } from '../../delivery/receiver/receiver-machine.js';
import { isoTime } from '../../untrusted/iso-time.js';
import { quoted } from '../../untrusted/text.js';
import { type Audience, tenantAsked } from '../audience.js';
import { limitIn } from '../query.js';
import type { ReceiverState, ReceiversView, ReceiverView } from '../shapes.js';
import type { ReceiverActions } from './receiver-actions.js';
import {
  RECEIVER_STATES,
  type ReceiverCursor,
  type ReceiverFilter,
  type Receivers,
} from './receivers-view.js';

export interface ReceiverRouteOptions {
  readonly receivers: Receivers;
  readonly actions: ReceiverActions;
  readonly authors: Authors;
}

/** Routes of receivers. */
export function receiverRoutes(
  { prefix, listChecks: checks, tenantOf }: Audience,
  { receivers, actions, authors }: ReceiverRouteOptions,
): readonly Route[] {
  const path = `${prefix}/receivers`;

  const known = async (ctx: EdgeContext): Promise<ReceiverView> => {
    onlyOf(ctx, []);
    const { receiverId } = ctx.params as { receiverId: string };
    const found = await receivers.show(receiverId, tenantOf(ctx));
    if (found === undefined) throw new Refusal('not-found', `id: no receiver ${quoted(receiverId)}`);
    return found;
  };

  const list = route(READ, path, ...checks, async (ctx) => {
    const tenant = tenantAsked(ctx, tenantOf(ctx), ['state', 'tenant', 'after', 'limit']);
    const page = await receivers.list(receiverFilterOf(ctx, tenant));
    ctx.body = { ...page, next: cursorText(page.next) } satisfies ReceiversView;
  });
  const show = route(READ, `${path}/:receiverId`, ...checks, async (ctx) => {
    ctx.body = await known(ctx);
  });
  const tryAll = route(['POST'], `${path}/:receiverId/try`, ...checks, async (ctx) => {
    ctx.body = { tried: await actions.tryAll(await known(ctx), authors.of(ctx)) };
  });
  const redeliver = route(['POST'], `${path}/:receiverId/redeliver`, ...checks, async (ctx) => {
    ctx.body = { redelivered: await actions.redeliverAll(await known(ctx), authors.of(ctx)) };
  });
  const test = route(['POST'], `${path}/:receiverId/test`, ...checks, async (ctx) => {
    ctx.body = await actions.test(await known(ctx));
  });
  return [list, show, tryAll, redeliver, test];
}

/** Returns the receivers that a request asks for. Throws a `Refusal` that names the wrong parameter. */
function receiverFilterOf(ctx: EdgeContext, tenant: string | undefined): ReceiverFilter {
  const state = choice(ctx, 'state', RECEIVER_STATES) as ReceiverState | undefined;
  return { state, tenant, after: cursorIn(ctx, tenant), limit: limitIn(ctx) };
}

/** Returns the text of a place in the list: `tenant/id`, and of one in trouble its state and its time. null: there is none. */
function cursorText(next: ReceiverCursor | undefined): string | null {
  if (next === undefined) return null;
  const { tenantId, id, state, since } = next;
  return [tenantId, id, ...(state === 'ok' ? [] : [state, since])].join('/');
}

function cursorIn(ctx: EdgeContext, tenant: string | undefined): ReceiverCursor | undefined {
  const text = plain(ctx, 'after');
  if (text === undefined) return undefined;
  const [owner = '', id = '', state = 'ok', since = '', ...more] = text.split('/');
  const isPlace = owner !== '' && owner === (tenant ?? owner) && RECEIVER_ID.test(id) && more.length === 0;
  const isState = RECEIVER_STATES.some((one) => one === state) && (state === 'ok') === (since === '');
  if (isPlace && isState && (since === '' || isoTime(since) !== undefined))
    return { tenantId: owner, id, state: state as ReceiverState, since };
  throw wrongParameter('after', 'must be the `next` of a page that was asked for with the same tenant');
}
