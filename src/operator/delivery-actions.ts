import type { Actors, Author } from '../actors/kind.js';
import { deliveryAddress, shownState } from '../delivery/delivery.js';
import { changeDelivery, type ChangedDelivery, type DeliveryRequest } from '../delivery/change-delivery.js';
import { ENDPOINT, type EndpointContext } from '../delivery/endpoint/endpoint-machine.js';
import type { Dispatcher } from '../delivery/queue/dispatcher.js';
import { queueOf } from '../delivery/queue/permits.js';
import { Refusal } from '../errors.js';
import { quoted } from '../untrusted/text.js';
import { SERVER } from '../policy/server/server-kind.js';
import { pages } from '../store/paging.js';
import { type Address, addressOf, type Store } from '../store/port.js';
import { findAddress, findDelivery } from './find-address.js';
import { mapInBatches } from '../system/in-batches.js';

/** Ids of deliveries and of subscriptions. */
export const ID = /^[A-Za-z0-9_-]{1,256}$/;
/** Deliveries changed in one batch. */
const BATCH = 50;
/** Servers searched in one page. */
const SERVERS_PAGE = 500;

/** What people do with deliveries. */
export type DeliveryActions = ReturnType<typeof createDeliveryActions>;

/**
 * Creates the actions on deliveries. `tenant` limits each to the deliveries of a tenant; undefined: of any. `author`: who makes it,
 * if it is audited. They throw `Refusal`: `not-found`, or `conflict` for a delivery in another state.
 */
export function createDeliveryActions({
  actors,
  store,
  dispatcher,
  now,
  onDiscarded,
}: {
  readonly actors: Actors;
  readonly store: Store;
  readonly dispatcher: Pick<Dispatcher, 'expect'>;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Called for each dead letter that is discarded. */
  readonly onDiscarded: () => void;
}) {
  const change = async (
    address: Address,
    type: DeliveryRequest['type'],
    author: Author | undefined,
  ): Promise<ChangedDelivery | undefined> => {
    const changed = await changeDelivery(actors, address, { type, now: now(), author });
    const { state, context } = changed?.before ?? {};
    if (changed?.done !== true) return changed;
    if (state === 'waiting' && type !== 'discard')
      dispatcher.expect(queueOf(address.tenant, context!.message!), now());
    if (state === 'dead' && type === 'discard') onDiscarded();
    return changed;
  };

  return {
    /**
     * Changes a delivery by its id: `redeliver` sends a dead letter again, `resend` any message (one that waits is tried now),
     * `try` tries one that waits now, and `discard` deletes one that is not delivered.
     */
    async change(
      id: string,
      tenant: string | undefined,
      type: DeliveryRequest['type'],
      author: Author | undefined,
    ): Promise<void> {
      const found = ID.test(id) ? await findDelivery(store, id, tenant) : undefined;
      const changed = found && (await change(found, type, author));
      if (changed === undefined || (!changed.done && shownState(changed.before.state) === undefined))
        throw new Refusal('not-found', `id: no delivery ${quoted(id)}`);
      if (!changed.done) throw new Refusal('conflict', `the delivery ${id} ${whyNot(type, changed)}`);
    },

    /** Changes several deliveries of a tenant. Returns how many have taken the change. */
    async changeAll(
      tenant: string,
      ids: readonly string[],
      type: 'redeliver' | 'try',
      author: Author | undefined,
    ): Promise<number> {
      const changed = await mapInBatches(ids, BATCH, (id) =>
        change(deliveryAddress(tenant, id), type, author),
      );
      return changed.filter((one) => one?.done === true).length;
    },

    /** Sends all dead letters of a subscription again. Returns their number. */
    async redeliverAll(
      subscriptionId: string,
      tenant: string | undefined,
      author: Author | undefined,
    ): Promise<number> {
      const endpoint =
        tenant === undefined
          ? ((await findAddress(store, ENDPOINT, subscriptionId)) ??
            (await endpointOfServers(store, subscriptionId, tenant)))
          : await endpointOfTenant(store, actors, tenant, subscriptionId);
      if (endpoint === undefined)
        throw new Refusal('not-found', `subscriptionId: no subscription ${subscriptionId}`);
      const dead = (await actors.read<EndpointContext>(endpoint))?.context.dead ?? [];
      return this.changeAll(endpoint.tenant, dead, 'redeliver', author);
    },
  };
}

/** Returns why a delivery refuses a change, as the end of a sentence. */
function whyNot(type: DeliveryRequest['type'], { before }: ChangedDelivery): string {
  const { state, context } = before;
  if (type === 'redeliver')
    return 'is not a dead letter: only those are sent again; resend sends any message';
  if (state === 'blocked') return `waits for ${context.after!}, which has to be over first: try that one`;
  if (state === 'dead') return 'is a dead letter: redeliver it';
  return type === 'discard'
    ? 'is delivered: nothing is left to be discarded'
    : 'is delivered: resend it to send it again';
}

async function endpointOfTenant(store: Store, actors: Actors, tenant: string, id: string) {
  const endpoint = { kind: ENDPOINT, tenant, name: id };
  if ((await actors.read<EndpointContext>(endpoint)) !== undefined) return endpoint;
  return endpointOfServers(store, id, tenant);
}

/** Returns the address of a subscription's endpoint without an actor. undefined if no server has the subscription. */
async function endpointOfServers(
  store: Store,
  id: string,
  tenant: string | undefined,
): Promise<Address | undefined> {
  const text = JSON.stringify(id);
  const ask = (after: string | undefined) => store.list({ kind: SERVER, tenant, limit: SERVERS_PAGE, after });
  for await (const page of pages(ask)) {
    const found = page.find(({ rare }) => rare.includes(text) && subscriptionsIn(rare).includes(id));
    if (found !== undefined) return { kind: ENDPOINT, tenant: addressOf(found.id).tenant, name: id };
  }
  return undefined;
}

function subscriptionsIn(rare: string): readonly string[] {
  const { subscriptions = [] } = JSON.parse(rare) as { readonly subscriptions?: readonly { id: string }[] };
  return subscriptions.map(({ id }) => id);
}
