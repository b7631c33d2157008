import type { EffectRun } from '../../actors/kind.js';
import type { DispatchEvent } from '../../delivery/delivery.js';
import type { AcquireEntry, Deliveries } from '../../delivery/deliveries.js';
import { queueOf } from '../../delivery/queue/permits.js';
import type { Address } from '../../store/port.js';
import { inBatches } from '../../system/in-batches.js';
import type { ServerContext, ServerEvent } from './server-context.js';
import type { DispatchEffect } from '../alerts/outgoing-messages.js';

/** Maximum number of messages of one tenant that begin to wait at once, so that commits of other tenants come between. */
const ENTRIES_AT_ONCE = 128;
/** Lanes of a commit whose messages start in one turn of the event loop. Each may begin an attempt, which takes 0.2 ms. */
const LANES_A_TURN = 64;

/** The messages of one commit of a server. */
interface Batch {
  readonly entries: DispatchEffect[];
  /** Resolves with the ids of the dispatched entries. */
  readonly done: Promise<ReadonlySet<string>>;
}

/** A server while its messages are dispatched. */
interface Sender {
  readonly address: Address;
  /** As of its newest commit with messages. */
  outbox: ServerContext['outbox'];
  /** Revision of the server with this outbox. */
  revision: number;
  /** The messages of this outbox, oldest first, by lane; made when they are asked for. */
  lanes: ReadonlyMap<string, readonly DispatchEffect[]> | undefined;
  /** The batch whose commit is being announced. */
  open: Batch | undefined;
  running: number;
  /** By lane: the end of what is under way. */
  readonly underWay: Map<string, Promise<void>>;
}

/** A tenant while messages of its servers are dispatched. */
interface Tenant {
  readonly entryPermits: EntryPermits;
  readonly senders: Map<string, Sender>;
}

/**
 * Makes the effect that dispatches messages of servers. The messages of one subscription and channel are a lane: they are
 * dispatched in the order in which they were made, and none before an earlier one that failed. A message with a permit for an
 * attempt is dispatched at once. The others wait for `EntryPermits`, which the receivers of a tenant get in turn. The first entry
 * of a commit reports all entries of that commit: an event for each would write the document of the server as often.
 */
export function dispatchEffect(deliveries: Pick<Deliveries, 'dispatch'>, now: () => number) {
  const tenants = new Map<string, Tenant>();
  /** Entries that may still be in the outbox. */
  const dispatched = new WeakSet<DispatchEffect>();

  const dispatchLane = async (permits: EntryPermits, sender: Sender, lane: string): Promise<void> => {
    await sender.underWay.get(lane);
    const { revision, address } = sender;
    const { tenant, name } = address;
    const dispatch = async (entry: DispatchEffect, acquireEntry: AcquireEntry): Promise<void> => {
      const { id, message, subscriptionId, firedAt: at, factId, after, overdue = false } = entry;
      const of = { tenant, server: name, subscriptionId, factId, revision };
      const about = entry.trace === undefined ? of : { ...of, trace: entry.trace };
      const event: DispatchEvent = { type: 'dispatch', now: at, message, about, overdue };
      await deliveries.dispatch(id, after === undefined ? event : { ...event, after }, acquireEntry);
      dispatched.add(entry);
    };
    const left = messagesOf(sender, lane).filter((entry) => !dispatched.has(entry));
    await dispatchInOrder(left, dispatch, ({ message }) => permits.acquire(queueOf(tenant, message)));
  };

  const follow = async (permits: EntryPermits, sender: Sender, lane: string): Promise<void> => {
    const work = dispatchLane(permits, sender, lane);
    sender.underWay.set(lane, work);
    await work;
    if (sender.underWay.get(lane) === work) sender.underWay.delete(lane);
  };

  const run = async (permits: EntryPermits, sender: Sender, entries: readonly DispatchEffect[]) => {
    // The effects of one commit start together.
    await Promise.resolve();
    sender.open = undefined;
    const lanes = new Set(entries.map(laneOf));
    const work: Promise<void>[] = [];
    // The first steps of a thousand messages in one turn would delay all requests.
    for await (const some of inBatches([...lanes], LANES_A_TURN))
      work.push(...some.map((lane) => follow(permits, sender, lane)));
    await Promise.all(work);
    const known = [...lanes].flatMap((lane) => messagesOf(sender, lane));
    const waiting = new Set(known.filter((entry) => !dispatched.has(entry)).map(({ id }) => id));
    // An entry that is no longer in the outbox was reported before.
    return new Set([...known, ...entries].map(({ id }) => id).filter((id) => !waiting.has(id)));
  };

  const batchOf = (
    { address, revision }: Pick<EffectRun, 'address' | 'revision'>,
    outbox: ServerContext['outbox'],
  ): Batch => {
    const tenant: Tenant = tenants.get(address.tenant) ?? {
      entryPermits: createEntryPermits(ENTRIES_AT_ONCE),
      senders: new Map(),
    };
    tenants.set(address.tenant, tenant);
    const { entryPermits, senders } = tenant;
    const sender: Sender = senders.get(address.name) ?? {
      address,
      outbox,
      revision,
      lanes: undefined,
      open: undefined,
      running: 0,
      underWay: new Map(),
    };
    senders.set(address.name, sender);
    if (sender.outbox !== outbox) {
      sender.outbox = outbox;
      sender.revision = revision;
      sender.lanes = undefined;
    }
    if (sender.open !== undefined) return sender.open;
    const entries: DispatchEffect[] = [];
    sender.running += 1;
    const done = run(entryPermits, sender, entries).finally(() => {
      sender.running -= 1;
      if (sender.running === 0) senders.delete(address.name);
      if (senders.size === 0) tenants.delete(address.tenant);
    });
    return (sender.open = { entries, done });
  };

  return async (
    entry: DispatchEffect,
    { outbox }: Pick<ServerContext, 'outbox'>,
    run: EffectRun,
  ): Promise<ServerEvent | undefined> => {
    const { entries, done } = batchOf(run, outbox);
    entries.push(entry);
    const taken = await done;
    if (!taken.has(entry.id)) throw new Error('the message could not be dispatched; it is tried again');
    if (entries.find(({ id }) => taken.has(id)) !== entry) return undefined;
    return { type: 'dispatched', now: now(), entryIds: [...taken] };
  };
}

function laneOf({ message, subscriptionId }: DispatchEffect): string {
  return `${message.channel}\n${subscriptionId}`;
}

/**
 * Returns the messages of a lane in the outbox, oldest first: also those that an earlier effect, or a node that has ended, did
 * not dispatch.
 */
function messagesOf(sender: Sender, lane: string): readonly DispatchEffect[] {
  if (sender.lanes === undefined) {
    const lanes = new Map<string, DispatchEffect[]>();
    for (const entry of sender.outbox) {
      if (entry.type !== 'dispatch') continue;
      const messages = lanes.get(laneOf(entry)) ?? [];
      lanes.set(laneOf(entry), messages);
      messages.push(entry);
    }
    sender.lanes = lanes;
  }
  return sender.lanes.get(lane) ?? [];
}

/** Permits for messages to begin to wait. */
type EntryPermits = ReturnType<typeof createEntryPermits>;

/** Makes that many permits. Queues of deliveries get them in turn. */
function createEntryPermits(count: number) {
  let free = count;
  /** The calls that wait for a permit, by queue. The first queue is next. */
  const waiting = new Map<string, (() => void)[]>();
  const release = (): void => {
    free += 1;
    const next = waiting.entries().next().value;
    if (next === undefined) return;
    const [queue, calls] = next;
    const begin = calls.shift()!;
    waiting.delete(queue);
    if (calls.length > 0) waiting.set(queue, calls);
    free -= 1;
    begin();
  };
  return {
    /** Resolves with the function that releases the permit. Calls for one queue resolve in their order. */
    acquire: (queue: string) =>
      new Promise<() => void>((resolve) => {
        if (free > 0) {
          free -= 1;
          resolve(release);
          return;
        }
        const calls = waiting.get(queue) ?? [];
        waiting.set(queue, calls);
        calls.push(() => resolve(release));
      }),
  };
}

/**
 * Dispatches messages of one lane, oldest first. After the first failure it begins no other message. A message with `after` waits
 * for the one before; the others are dispatched together, and their deliveries begin in their order.
 */
async function dispatchInOrder(
  entries: readonly DispatchEffect[],
  dispatch: (entry: DispatchEffect, acquireEntry: AcquireEntry) => Promise<void>,
  acquire: (entry: DispatchEffect) => ReturnType<AcquireEntry>,
): Promise<void> {
  let failed = false;
  const begin = (entry: DispatchEffect): Promise<boolean> =>
    dispatch(entry, async () => {
      const release = await acquire(entry);
      if (!failed) return release;
      release();
      throw new Error('a message before it could not be dispatched');
    }).then(
      () => true,
      () => !(failed = true),
    );
  for (let from = 0; from < entries.length;) {
    const group = entries.slice(from, from + together(entries, from));
    if ((await Promise.all(group.map(begin))).includes(false)) return;
    from += group.length;
  }
}

/** Returns how many messages from an index on can be dispatched at the same time. */
function together(entries: readonly DispatchEffect[], from: number): number {
  const ordered = entries.findIndex(({ after }, i) => i > from && after !== undefined);
  return (ordered < 0 ? entries.length : ordered) - from;
}
