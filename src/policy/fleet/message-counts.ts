import {
  DELIVERY,
  deliveryAddress,
  type DeliveryContext,
  isOfSubscription,
  PENDING_STATES,
} from '../../delivery/delivery.js';
import { isMessageOf, lineOfMessageId, shortLine } from '../../delivery/message-id.js';
import { actorId, addressOf, type Store } from '../../store/port.js';
import { ttlCache } from '../../system/ttl-cache.js';
import { lineOfAlerts } from '../alerts/alert-messages.js';
import type { ServerContext } from '../server/server-context.js';
import type { FleetServer } from './shapes.js';

/** Returns how many messages of a server's subscriptions wait, and how many are dead letters. */
export type MessageCounts = (
  server: Pick<ServerContext, 'address' | 'subscriptions'>,
) => Promise<Pick<FleetServer, 'waiting' | 'dead'>>;

/** The states of a delivery's machine that are counted. */
const STATES = { waiting: PENDING_STATES, dead: ['dead'] } as const;
const KINDS = ['waiting', 'dead'] as const;
/** Deliveries in one state that are counted for one tenant, the newest. Reading so many ids takes about 10 ms. */
const COUNTED = 10_000;
/** Lifetime of the ids that were read, ms, and tenants of which they are kept. */
const KEPT = { ttlMs: 1_000, max: 100 };

type Ids = ReadonlyMap<string, readonly string[]>;

/** Makes the counts. The line in the id of a message says for which subscription it is; a document is read if that is unsure. */
export function readMessageCounts(store: Pick<Store, 'outline' | 'load'>, now: () => number): MessageCounts {
  const cache = ttlCache<Readonly<Record<keyof typeof STATES, Ids>>>({ ...KEPT, now });

  const idsByLine = async (tenant: string, states: readonly string[]): Promise<Ids> => {
    const byLine = new Map<string, string[]>();
    for (const state of states) {
      const query = { kind: DELIVERY, tenant, state, descending: true, limit: COUNTED };
      for (const { id } of (await store.outline(query)).items) {
        const { name } = addressOf(id);
        const line = lineOfMessageId(name);
        const known = byLine.get(line);
        if (known === undefined) byLine.set(line, [name]);
        else known.push(name);
      }
    }
    return byLine;
  };

  const isOf = async (name: string, tenant: string, server: string, subscriptionId: string) => {
    const stored = await store.load(actorId(deliveryAddress(tenant, name)));
    if (stored === undefined) return false;
    const { about } = JSON.parse(stored.rare) as Pick<DeliveryContext, 'about'>;
    return isOfSubscription(about) && about.server === server && about.subscriptionId === subscriptionId;
  };

  return async ({ address: { tenant, name: server }, subscriptions }) => {
    const counts = { waiting: 0, dead: 0 };
    if (subscriptions.length === 0) return counts;
    const ids = await cache.get(tenant, async () => ({
      waiting: await idsByLine(tenant, STATES.waiting),
      dead: await idsByLine(tenant, STATES.dead),
    }));
    if (ids.waiting.size + ids.dead.size === 0) return counts;
    for (const { id: subscriptionId } of subscriptions) {
      const line = lineOfAlerts(tenant, server, subscriptionId);
      const short = shortLine(line);
      for (const kind of KINDS) {
        for (const id of ids[kind].get(short) ?? []) {
          const isAlert = isMessageOf(id, (factId) => `${line}/${factId}`);
          if (isAlert || (await isOf(id, tenant, server, subscriptionId))) counts[kind] += 1;
        }
      }
    }
    return counts;
  };
}
