import type { EffectRun } from '../../actors/kind.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import type { Address } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { DeliverEffect, ServerContext, ServerEvent } from '../server/server-context.js';

/** Most messages of one tenant that are being handed over at once: the commits of others come between. */
const AT_ONCE = 128;

/** The messages that one commit of a server has brought. */
interface Batch {
  readonly entries: DeliverEffect[];
  /** The ids of those that are handed over. */
  readonly done: Promise<ReadonlySet<string>>;
}

/**
 * The effect that hands the messages of servers over to the deliveries. Those that one commit has brought are reported
 * together, by the first of them: an event for each would write the server's document as often.
 */
export function handingOver(deliveries: Deliveries, now: () => number) {
  const batches = new Map<string, Batch>();
  /** By tenant: when the batches that came before are handed over. */
  const tails = new Map<string, Promise<unknown>>();

  const handOver = (
    { id, message, subscriptionId, firedAt, overdue }: DeliverEffect,
    { tenant, name }: Address,
  ): Promise<void> => {
    const about = { tenant, server: name, subscriptionId };
    return deliveries.handOver(id, { type: 'send', now: firedAt, message, about, overdue: overdue === true });
  };

  const handAll = async (
    entries: readonly DeliverEffect[],
    address: Address,
  ): Promise<ReadonlySet<string>> => {
    const handed = new Set<string>();
    await mapInBatches(entries, AT_ONCE, (entry) =>
      handOver(entry, address).then(
        () => void handed.add(entry.id),
        // Not in the answer: it is tried again.
        () => undefined,
      ),
    );
    return handed;
  };

  const open = (address: Address): Batch => {
    const key = `${address.tenant}/${address.name}`;
    const entries: DeliverEffect[] = [];
    const before = tails.get(address.tenant) ?? Promise.resolve();
    const done = before.then(() => {
      batches.delete(key);
      return handAll(entries, address);
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
    const handed = await batch.done;
    if (!handed.has(entry.id)) throw new Error('the message could not be handed over; it is tried again');
    const first = batch.entries.find(({ id }) => handed.has(id));
    return first === entry ? { type: 'handedOver', now: now(), entryIds: [...handed] } : undefined;
  };
}
