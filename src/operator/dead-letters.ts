import type { Actors } from '../actors/kind.js';
import { changeDeadLetter, type DeadLetterEvent } from '../delivery/endpoint/dead-letters.js';
import { DELIVERY } from '../delivery/delivery.js';
import { ENDPOINT, type EndpointContext } from '../delivery/endpoint/endpoint-machine.js';
import { Refusal } from '../errors.js';
import { quoted } from '../untrusted/text.js';
import { SERVER } from '../policy/server/server-kind.js';
import { pages } from '../store/paging.js';
import { type Address, addressOf, type Store } from '../store/port.js';
import { findAddress } from './find-address.js';
import { mapInBatches } from '../system/in-batches.js';

/** Ids of deliveries and of subscriptions. */
export const ID = /^[A-Za-z0-9_-]{1,256}$/;
/** Dead letters sent again in one batch. */
const REDELIVERY_PAGE = 50;
/** Servers searched in one page. */
const SERVERS_PAGE = 500;

/** Operations on dead letters. */
export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Creates the operations on dead letters. */
export function createDeadLetters({
  actors,
  store,
  now,
  onDiscarded,
}: {
  readonly actors: Actors;
  readonly store: Store;
  readonly now: () => number;
  readonly onDiscarded: () => void;
}) {
  const tell = async (
    address: Address | undefined,
    type: DeadLetterEvent['type'],
    unknown: string,
  ): Promise<void> => {
    const outcome =
      address === undefined ? 'unknown' : await changeDeadLetter(actors, address, { type, now: now() });
    if (outcome === 'unknown') throw new Refusal('not-found', unknown);
    if (outcome === 'alive') {
      const what = type === 'redeliver' ? 'sent again' : 'discarded';
      throw new Refusal(
        'conflict',
        `the delivery ${address!.name} is no dead letter: only those are ${what}`,
      );
    }
  };

  return {
    /** Sends a dead letter again. Throws `Refusal`: `not-found`, or `conflict` if the delivery is not a dead letter. */
    redeliver: (tenant: string, id: string): Promise<void> =>
      tell(
        { kind: DELIVERY, tenant, name: id },
        'redeliver',
        `no delivery ${id} of the tenant with the id ${tenant}`,
      ),

    /** Deletes a dead letter. Its id is unique over all tenants. Throws as `redeliver`. */
    async discard(id: string): Promise<void> {
      const delivery = ID.test(id) ? await findAddress(store, DELIVERY, id) : undefined;
      await tell(delivery, 'discard', `id: no delivery ${quoted(id)}`);
      onDiscarded();
    },

    /** Sends all dead letters of a subscription again. Returns their number. Throws `Refusal`: `not-found`. */
    async redeliverAll(subscriptionId: string): Promise<number> {
      const endpoint =
        (await findAddress(store, ENDPOINT, subscriptionId)) ??
        (await endpointOfServers(store, subscriptionId));
      if (endpoint === undefined)
        throw new Refusal('not-found', `subscriptionId: no subscription ${subscriptionId}`);
      const dead = (await actors.read<EndpointContext>(endpoint))?.context.dead ?? [];
      const outcomes = await mapInBatches(dead, REDELIVERY_PAGE, (name) => {
        const delivery = { kind: DELIVERY, tenant: endpoint.tenant, name };
        return changeDeadLetter(actors, delivery, { type: 'redeliver', now: now() });
      });
      return outcomes.filter((outcome) => outcome === 'done').length;
    },
  };
}

/** Returns the address of a subscription's endpoint without an actor. undefined if no server has the subscription. */
async function endpointOfServers(store: Store, id: string): Promise<Address | undefined> {
  const text = JSON.stringify(id);
  for await (const page of pages((after) => store.list({ kind: SERVER, limit: SERVERS_PAGE, after }))) {
    const found = page.find(({ rare }) => rare.includes(text) && subscriptionsIn(rare).includes(id));
    if (found !== undefined) return { kind: ENDPOINT, tenant: addressOf(found.id).tenant, name: id };
  }
  return undefined;
}

function subscriptionsIn(rare: string): readonly string[] {
  const { subscriptions = [] } = JSON.parse(rare) as { readonly subscriptions?: readonly { id: string }[] };
  return subscriptions.map(({ id }) => id);
}
