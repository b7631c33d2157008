import type { EffectRun } from '../../actors/kind.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import type { Address } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { DeliverEffect, ServerContext, ServerEvent } from './server-context.js';

/** Maximum number of messages of one tenant passed on at once. The commits of other tenants come between. */
const AT_ONCE = 128;

/** The messages of one commit of a server. */
interface Batch {
  readonly entries: DeliverEffect[];
  /** Resolves with the ids of the entries that the deliveries have taken over. */
  readonly done: Promise<ReadonlySet<string>>;
}

/**
 * Makes the effect that passes messages of servers on to the deliveries. The first entry of a commit reports all entries
 * of that commit: an event for each would write the document of the server as often.
 */
export function messageDispatch(deliveries: Deliveries, now: () => number) {
  const batches = new Map<string, Batch>();
  /** By tenant: the end of the last batch. */
  const tails = new Map<string, Promise<unknown>>();

  const dispatch = (
    { id, message, subscriptionId, firedAt, overdue }: DeliverEffect,
    { tenant, name }: Address,
  ): Promise<void> => {
    const about = { tenant, server: name, subscriptionId };
    return deliveries.handOver(id, { type: 'send', now: firedAt, message, about, overdue: overdue === true });
  };

  const dispatchAll = async (
    entries: readonly DeliverEffect[],
    address: Address,
  ): Promise<ReadonlySet<string>> => {
    const dispatched = new Set<string>();
    await mapInBatches(entries, AT_ONCE, (entry) =>
      dispatch(entry, address).then(
        () => void dispatched.add(entry.id),
        // Stays in the outbox and is tried again.
        () => undefined,
      ),
    );
    return dispatched;
  };

  const open = (address: Address): Batch => {
    const key = `${address.tenant}/${address.name}`;
    const entries: DeliverEffect[] = [];
    const before = tails.get(address.tenant) ?? Promise.resolve();
    const done = before.then(() => {
      batches.delete(key);
      return dispatchAll(entries, address);
    });
    tails.set(address.tenant, done);
    void done.then(() => {
      if (tails.get(address.tenant) === done) tails.delete(address.tenant);
    });
    const batch = { entries, done };
    batches.set(key, batch);
    return batch;
  };

  return async (
    entry: DeliverEffect,
    _context: ServerContext,
    { address }: EffectRun,
  ): Promise<ServerEvent | undefined> => {
    const batch = batches.get(`${address.tenant}/${address.name}`) ?? open(address);
    batch.entries.push(entry);
    const dispatched = await batch.done;
    if (!dispatched.has(entry.id)) {
      throw new Error('the message could not be handed over; it is tried again');
    }
    const first = batch.entries.find(({ id }) => dispatched.has(id));
    return first === entry ? { type: 'dispatched', now: now(), entryIds: [...dispatched] } : undefined;
  };
}
