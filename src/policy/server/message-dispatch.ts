import type { EffectRun } from '../../actors/kind.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import type { Address } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { DeliverEffect, ServerContext, ServerEvent } from './server-context.js';

/** Maximum number of messages of one tenant passed on at once. The commits of other tenants come between. */
const AT_ONCE = 128;

/** The messages of one commit of a server. */
interface Batch {
  readonly address: Address;
  readonly entries: DeliverEffect[];
  /** Resolves with the entries that the deliveries have taken over. */
  readonly done: Promise<ReadonlySet<DeliverEffect>>;
  readonly resolve: (dispatched: ReadonlySet<DeliverEffect>) => void;
}

/**
 * Makes the effect that passes messages of servers on to the deliveries. The first entry of a commit reports all entries
 * of that commit: an event for each would write the document of the server as often. Small commits of a tenant's servers
 * are passed on together: 10,000 servers may say `noData` in the same second.
 */
export function messageDispatch(deliveries: Deliveries, now: () => number) {
  /** Those that wait, by server. */
  const batches = new Map<string, Batch>();
  /** Those that wait, by tenant. */
  const queues = new Map<string, Batch[]>();

  const dispatch = (
    { id, message, subscriptionId, firedAt, overdue }: DeliverEffect,
    { tenant, name }: Address,
  ): Promise<void> => {
    const about = { tenant, server: name, subscriptionId };
    return deliveries.handOver(id, { type: 'send', now: firedAt, message, about, overdue: overdue === true });
  };

  const dispatchAll = async (round: readonly Batch[]): Promise<ReadonlySet<DeliverEffect>> => {
    const dispatched = new Set<DeliverEffect>();
    const all = round.flatMap(({ entries, address }) => entries.map((entry) => ({ entry, address })));
    await mapInBatches(all, AT_ONCE, ({ entry, address }) =>
      dispatch(entry, address).then(
        () => void dispatched.add(entry),
        // Stays in the outbox and is tried again.
        () => undefined,
      ),
    );
    return dispatched;
  };

  const serve = async (tenant: string, queue: Batch[]): Promise<void> => {
    // The effects of one commit start together.
    await Promise.resolve();
    while (queue.length > 0) {
      const round = queue.splice(0, countOf(queue));
      for (const { address } of round) batches.delete(keyOf(address));
      const dispatched = await dispatchAll(round);
      for (const batch of round) batch.resolve(dispatched);
    }
    queues.delete(tenant);
  };

  const open = (address: Address): Batch => {
    const { promise: done, resolve } = deferred<ReadonlySet<DeliverEffect>>();
    const batch: Batch = { address, entries: [], done, resolve };
    batches.set(keyOf(address), batch);
    const queue = queues.get(address.tenant);
    if (queue !== undefined) queue.push(batch);
    else {
      const first = [batch];
      queues.set(address.tenant, first);
      void serve(address.tenant, first);
    }
    return batch;
  };

  return async (
    entry: DeliverEffect,
    _context: ServerContext,
    { address }: EffectRun,
  ): Promise<ServerEvent | undefined> => {
    const { entries, done } = batches.get(keyOf(address)) ?? open(address);
    entries.push(entry);
    const dispatched = await done;
    if (!dispatched.has(entry)) throw new Error('the message could not be handed over; it is tried again');
    if (entries.find((one) => dispatched.has(one)) !== entry) return undefined;
    const entryIds = entries.filter((one) => dispatched.has(one)).map(({ id }) => id);
    return { type: 'dispatched', now: now(), entryIds };
  };
}

function keyOf({ tenant, name }: Address): string {
  return `${tenant}/${name}`;
}

/** Returns how many of the first batches have at most `AT_ONCE` entries together; one batch may have more alone. */
function countOf(queue: readonly Batch[]): number {
  let entries = 0;
  let count = 0;
  for (const batch of queue) {
    entries += batch.entries.length;
    if (count > 0 && entries > AT_ONCE) break;
    count += 1;
  }
  return count;
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((fulfil) => (resolve = fulfil));
  return { promise, resolve };
}
