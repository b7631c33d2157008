import type { EffectRun } from '../../actors/kind.js';
import type { DispatchEvent } from '../../delivery/delivery.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import { queueOf } from '../../delivery/queue/permits.js';
import type { Address } from '../../store/port.js';
import type { ServerContext, ServerEvent } from './server-context.js';
import type { DispatchEffect } from '../alerts/outgoing-messages.js';

/** Maximum number of messages of one tenant passed on at once. The commits of other tenants come between. */
const AT_ONCE = 128;

/** The messages of one commit of a server. */
interface Batch {
  readonly address: Address;
  /** Those whose effects wait for the batch. */
  readonly entries: DispatchEffect[];
  /** The server's outbox after the last of these commits. */
  outbox: ServerContext['outbox'];
  /** Resolves with the ids of the entries that the deliveries have taken over. */
  readonly done: Promise<ReadonlySet<string>>;
  readonly resolve: (dispatched: ReadonlySet<string>) => void;
}

/** The messages of one tenant. */
interface Line {
  readonly permits: Permits;
  /** Those that wait for a permit. */
  readonly queue: Batch[];
  serving: boolean;
  running: number;
  /** By server, subscription and channel: the end of what is under way. */
  readonly underWay: Map<string, Promise<void>>;
}

/**
 * Makes the effect that passes messages of servers on to the deliveries: those of one subscription and channel in the
 * order in which they were made, and none before an earlier one that failed. The first entry of a commit reports all
 * entries of that commit: an event for each would write the document of the server as often. While the tenant's permits
 * are taken, later commits of a server join the one that waits: 10,000 servers may send `noData` in the same second.
 */
export function dispatchEffect(deliveries: Pick<Deliveries, 'dispatch'>, now: () => number) {
  /** Those that wait, by server. */
  const batches = new Map<string, Batch>();
  const lines = new Map<string, Line>();
  /** The entries that the deliveries have taken over; they may still be in the outbox. */
  const dispatched = new WeakSet<DispatchEffect>();

  const passOn = async (
    { underWay, permits }: Line,
    lane: string,
    { tenant, name }: Address,
    entries: readonly DispatchEffect[],
  ): Promise<void> => {
    await underWay.get(lane);
    const left = entries.filter((entry) => !dispatched.has(entry));
    const dispatch = async (entry: DispatchEffect): Promise<void> => {
      const { id, message, subscriptionId, firedAt: at, factId, after, overdue = false } = entry;
      const of = { tenant, server: name, subscriptionId, factId };
      const about = entry.trace === undefined ? of : { ...of, trace: entry.trace };
      const event: DispatchEvent = { type: 'dispatch', now: at, message, about, overdue };
      await deliveries.dispatch(id, after === undefined ? event : { ...event, after });
      dispatched.add(entry);
    };
    await dispatchInOrder(tenant, left, dispatch, permits);
  };

  const run = async (line: Line, { address, entries, outbox, resolve }: Batch): Promise<void> => {
    const lanes = lanesOf(address, entries, outbox);
    await Promise.all(
      [...lanes].map(async ([lane, messages]) => {
        const work = passOn(line, lane, address, messages);
        line.underWay.set(lane, work);
        await work;
        if (line.underWay.get(lane) === work) line.underWay.delete(lane);
      }),
    );
    const waiting = new Set([...lanes.values()].flat().map(({ id }) => id));
    const taken = [...lanes.values()].flat().filter((entry) => dispatched.has(entry));
    // An entry that is no longer in the outbox was reported before.
    const reported = entries.filter(({ id }) => !waiting.has(id));
    resolve(new Set([...taken, ...reported].map(({ id }) => id)));
  };

  const serve = async (tenant: string, line: Line): Promise<void> => {
    line.serving = true;
    // The effects of one commit start together.
    await Promise.resolve();
    while (line.queue.length > 0) {
      line.permits.release(await line.permits.acquire('', 1));
      const batch = line.queue.shift()!;
      batches.delete(keyOf(batch.address));
      line.running += 1;
      void run(line, batch).finally(() => {
        line.running -= 1;
        if (!line.serving && line.running === 0) lines.delete(tenant);
      });
    }
    line.serving = false;
  };

  const open = (address: Address, outbox: ServerContext['outbox']): Batch => {
    let resolve!: Batch['resolve'];
    const done = new Promise<ReadonlySet<string>>((fulfil) => (resolve = fulfil));
    const batch: Batch = { address, entries: [], outbox, done, resolve };
    batches.set(keyOf(address), batch);
    const { tenant } = address;
    const line: Line = lines.get(tenant) ?? {
      permits: createPermits(AT_ONCE),
      queue: [],
      serving: false,
      running: 0,
      underWay: new Map(),
    };
    lines.set(tenant, line);
    line.queue.push(batch);
    if (!line.serving) void serve(tenant, line);
    return batch;
  };

  return async (
    entry: DispatchEffect,
    { outbox }: Pick<ServerContext, 'outbox'>,
    { address }: EffectRun,
  ): Promise<ServerEvent | undefined> => {
    const batch = batches.get(keyOf(address)) ?? open(address, outbox);
    batch.entries.push(entry);
    batch.outbox = outbox;
    const taken = await batch.done;
    if (!taken.has(entry.id)) throw new Error('the message could not be dispatched; it is tried again');
    if (batch.entries.find(({ id }) => taken.has(id)) !== entry) return undefined;
    return { type: 'dispatched', now: now(), entryIds: [...taken] };
  };
}

/**
 * Returns the messages to dispatch, oldest first, by server, subscription and channel: the entries, and before them those
 * that an earlier effect could not dispatch, or that a node left behind which has ended.
 */
function lanesOf(
  { name }: Address,
  entries: readonly DispatchEffect[],
  outbox: ServerContext['outbox'],
): ReadonlyMap<string, readonly DispatchEffect[]> {
  const laneOf = ({ message, subscriptionId }: DispatchEffect): string =>
    `${message.channel}\n${subscriptionId}\n${name}`;
  const lanes = new Map<string, DispatchEffect[]>(entries.map((entry) => [laneOf(entry), []]));
  for (const entry of outbox) if (entry.type === 'dispatch') lanes.get(laneOf(entry))?.push(entry);
  return lanes;
}

function keyOf({ tenant, name }: Address): string {
  return `${tenant}/${name}`;
}

/** Bounds the messages that are dispatched at the same time. The receivers of a tenant take turns. */
export type Permits = ReturnType<typeof createPermits>;

/** Returns that many permits. */
export function createPermits(count: number) {
  let free = count;
  /** Those who wait, by line. The lines take turns, the first one next. */
  const waiting = new Map<string, { readonly wanted: number; readonly resolve: (taken: number) => void }[]>();
  const serve = (): void => {
    for (const [line, calls] of waiting) {
      if (free === 0) return;
      const { wanted, resolve } = calls.shift()!;
      waiting.delete(line);
      if (calls.length > 0) waiting.set(line, calls);
      const taken = Math.min(free, wanted);
      free -= taken;
      resolve(taken);
    }
  };
  return {
    /** Resolves with at least 1 and at most `wanted` permits: those of a line in the order of the calls. */
    acquire: (line: string, wanted: number) =>
      new Promise<number>((resolve) => {
        const calls = waiting.get(line) ?? [];
        waiting.set(line, calls);
        calls.push({ wanted, resolve });
        serve();
      }),
    release(given: number): void {
      free += given;
      serve();
    },
  };
}

/**
 * Dispatches messages of one subscription and channel, oldest first. Ends at the first that fails: none after it is dispatched,
 * but for those that were under way with it. A message with `after` needs the one before; others go together, and their
 * deliveries begin in their order.
 */
async function dispatchInOrder(
  tenant: string,
  entries: readonly DispatchEffect[],
  dispatch: (entry: DispatchEffect) => Promise<void>,
  permits: Permits,
): Promise<void> {
  for (let from = 0; from < entries.length;) {
    const count = await permits.acquire(queueOf(tenant, entries[from]!.message), together(entries, from));
    const results = await Promise.allSettled(entries.slice(from, from + count).map(dispatch));
    permits.release(count);
    if (results.some(({ status }) => status === 'rejected')) return;
    from += count;
  }
}

/** Returns how many messages from an index on can be dispatched at the same time. */
function together(entries: readonly DispatchEffect[], from: number): number {
  const ordered = entries.findIndex(({ after }, i) => i > from && after !== undefined);
  return (ordered < 0 ? entries.length : ordered) - from;
}
