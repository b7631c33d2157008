import type { Context } from 'koa';
import { Refusal } from '../errors.js';
import { choice, onlyOf, plain, wrongParameter } from '../http/query.js';
import { READ, type Route, route } from '../http/router.js';
import type { Store } from '../store/port.js';
import { quoted } from '../untrusted/text.js';
import { SHOWN_STATES, type ShownState } from '../delivery/delivery.js';
import { RECEIVER_ID } from '../delivery/receiver/receiver-machine.js';
import { type Audience, tenantAsked } from './audience.js';
import { ID } from './delivery-actions.js';
import { type DeliveryFilter, type DeliveryView, listDeliveries, showDelivery } from './deliveries-view.js';
import { limitIn } from './query.js';

/** Routes that show deliveries. `store` is without the documents that cannot be read. */
export function deliveryRoutes(
  { prefix, checks, listChecks, tenantOf }: Audience,
  store: Store,
): readonly Route[] {
  return [
    route(READ, `${prefix}/deliveries`, ...listChecks, async (ctx) => {
      const { items, next } = await listDeliveries(store, deliveryFilterOf(ctx, tenantOf(ctx)));
      ctx.body = { deliveries: items, next };
    }),
    route(READ, `${prefix}/deliveries/:id`, ...checks, async (ctx) => {
      onlyOf(ctx, []);
      const { id } = ctx.params as { id: string };
      ctx.body = await knownDelivery(store, id, tenantOf(ctx));
    }),
  ];
}

/**
 * Returns the deliveries that a request asks for: those of `own`, or of the tenant that it names. Throws a `Refusal` that names
 * the wrong parameter.
 */
export function deliveryFilterOf(ctx: Context, own?: string): DeliveryFilter {
  const names = ['state', 'tenant', 'server', 'subscription', 'receiver', 'answer', 'before', 'limit'];
  const tenant = tenantAsked(ctx, own, names);
  const receiver = plain(ctx, 'receiver');
  if (receiver !== undefined && !RECEIVER_ID.test(receiver))
    throw wrongParameter('receiver', 'must be the id of a receiver, as the list of receivers has it');
  const before = plain(ctx, 'before');
  if (before !== undefined && !ID.test(before)) {
    throw wrongParameter('before', 'must be the id of a delivery, such as the `next` of a page');
  }
  return {
    state: choice(ctx, 'state', SHOWN_STATES) as ShownState | undefined,
    tenant,
    server: plain(ctx, 'server'),
    subscription: plain(ctx, 'subscription'),
    receiver,
    answer: plain(ctx, 'answer'),
    before,
    limit: limitIn(ctx),
  };
}

/** Returns a delivery by its id; of `tenant` alone if that is given. Throws `Refusal('not-found')`. */
export async function knownDelivery(
  store: Store,
  id: string,
  tenant: string | undefined,
): Promise<DeliveryView> {
  const found = ID.test(id) ? await showDelivery(store, id, tenant) : undefined;
  if (found === undefined) throw new Refusal('not-found', `id: no delivery ${quoted(id)}`);
  return found;
}
