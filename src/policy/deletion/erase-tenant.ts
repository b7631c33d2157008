import { setTimeout as pause } from 'node:timers/promises';
import type { ActorEvent, Actors } from '../../actors/kind.js';
import { DELIVERY, type DeliveryEvent } from '../../delivery/delivery.js';
import { ENDPOINT, type EndpointEvent } from '../../delivery/endpoint/endpoint-machine.js';
import { RECEIVER, type ReceiverEvent } from '../../delivery/receiver/receiver-machine.js';
import { isMirrorId } from '../../delivery/senders/mirror.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Outline, type Store } from '../../store/port.js';
import { inBatches } from '../../system/in-batches.js';
import { ALERT, type AlertEvent } from '../alertmanager/alert-machine.js';
import { HISTORY, type HistoryEvent } from '../explain/history-machine.js';
import type { ServerEvent } from '../server/server-context.js';
import { SERVER } from '../server/server-kind.js';
import type { DeletedTenant } from '../tenant/tenant-machine.js';
import type { TenantNameEvent } from '../tenant/tenant-name.js';
import { addressesOfNames } from '../tenant/tenants.js';
import { TREND, type TrendEvent } from '../trend/trend-machine.js';

/** Outlines read at once, and actors that are deleted at once. */
const PAGE = 500;
const BATCH = 32;
/** Pause after a batch, in times of what the batch took: other tenants have the rest. */
const PAUSES = 2;
/** Pause before what is left is looked for again, ms. */
const AGAIN_MS = 1_000;
/**
 * How long after a deletion something may still be made for the tenant, ms: by a request that read the tenant before. With a
 * shared store it may be one of a node that the database answers late.
 */
const LATE_MS = { shared: 15_000, embedded: 2_000 };

type Delivered = DeliveryEvent | EndpointEvent | ReceiverEvent;
type Own = ServerEvent | HistoryEvent | TrendEvent | AlertEvent;

/**
 * The kinds of actors that a tenant has, each with the event that deletes one of them. First come those that others make: a
 * message that is not delivered needs the tenant's secret.
 */
const KINDS: readonly (readonly [kind: string, event: (now: number) => Delivered | Own])[] = [
  [ALERT, (now) => ({ type: 'erase', now })],
  [DELIVERY, (now) => ({ type: 'erase', now })],
  [SERVER, (now) => ({ type: 'deleteWithTenant', now })],
  [ENDPOINT, (now) => ({ type: 'erase', now })],
  [RECEIVER, (now) => ({ type: 'erase', now })],
  [HISTORY, (now) => ({ type: 'erase', now, upTo: Infinity })],
  [TREND, (now) => ({ type: 'erase', now })],
];

/**
 * Makes the deletion of all that a deleted tenant has. It resolves once nothing is left, which the context broker may delay: it ends
 * the tenant's subscriptions. It can be begun again at any time.
 */
export function eraseTenant(options: {
  readonly store: Pick<Store, 'outline' | 'shared'>;
  /** ms since the epoch. */
  readonly now: () => number;
}) {
  const { store, now } = options;
  const lateMs = store.shared ? LATE_MS.shared : LATE_MS.embedded;

  const eraseSome = async (
    actors: Actors,
    some: readonly Outline[],
    eventOf: (now: number) => ActorEvent,
  ): Promise<void> => {
    const begun = performance.now();
    await Promise.all(some.map(({ id }) => actors.ask(addressOf(id), eventOf(now()))));
    await pause(PAUSES * (performance.now() - begun), undefined, { ref: false });
  };

  /** Resolves with the number of actors that were found. */
  const eraseAll = async (actors: Actors, tenant: string): Promise<number> => {
    let found = 0;
    for (const [kind, eventOf] of KINDS) {
      const query = { kind, tenant, limit: PAGE };
      for await (const page of pages((after) => store.outline({ ...query, after }))) {
        // The receipts of the ledger stay.
        const own = page.filter(({ id }) => !isMirrorId(addressOf(id).name));
        found += own.length;
        for await (const some of inBatches(own, BATCH)) await eraseSome(actors, some, eventOf);
      }
    }
    return found;
  };

  return async (actors: Actors, tenantId: string, { at, names }: DeletedTenant): Promise<void> => {
    for (;;) {
      const begun = now();
      const isOver = begun < at || begun >= at + lateMs;
      const found = await eraseAll(actors, tenantId);
      if (isOver && found === 0) break;
      await pause(AGAIN_MS, undefined, { ref: false });
    }
    const event: TenantNameEvent = { type: 'erase', now: now(), tenantId };
    await Promise.all(addressesOfNames(names).map((name) => actors.ask(name, event)));
  };
}
