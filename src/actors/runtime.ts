import { randomInt, randomUUID } from 'node:crypto';
import { Refusal } from '../errors.js';
import { actorId, type Address, addressOf, type Store, type Stored } from '../store/port.js';
import { Activation } from './activation.js';
import { watchClock } from './clock-watch.js';
import { createCommitter } from './committer.js';
import type {
  ActorContext,
  ActorEvent,
  ActorKind,
  Actors,
  ActorStats,
  ActorView,
  OutboxEntry,
} from './kind.js';
import { type ActorLimits, DEFAULT_LIMITS, Overload } from './overload.js';
import { OutgoingBudget } from './outgoing-budget.js';
import { Residents } from './residents.js';
import { behavior, type Behavior, type Snapshot, Unreadable } from './behavior.js';
import { startSweep } from './sweep.js';
import type { RuntimeContext } from './runtime-context.js';
import { NO_TRACING, type Tracing, traced } from '../tracing/port.js';

export interface ActorsOptions {
  readonly store: Store;
  readonly kinds: readonly ActorKind[];
  /** ms since the epoch. */
  readonly now?: () => number;
  readonly limits?: Partial<ActorLimits>;
  /** Called for each fault that no caller sees. */
  readonly onFault?: (fault: ActorFault) => void;
  /** Called after each call of the store that commits, with the number of its commits and its duration, s. */
  readonly onStoreCall?: (commits: number, seconds: number) => void;
  /** Called synchronously after each commit that this node wins, before the replies. A throw is a fault (`hook`). */
  readonly onCommit?: (change: CommitChange) => void;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
}

/** A commit of one actor. Over all nodes, each commit is reported once. */
export interface CommitChange {
  readonly address: Address;
  /** The actor as committed before. undefined if it did not exist. */
  readonly before: CommittedActor | undefined;
  /** The actor as committed. In the deleted state of its kind it does not exist any more. */
  readonly after: CommittedActor;
}

/** The state and context of an actor. */
export interface CommittedActor {
  readonly state: string;
  readonly context: ActorContext;
}

/**
 * A machine that threw, an effect or the event that reports it that failed, a sweep that failed, or a hook for commits
 * that threw.
 */
export interface ActorFault {
  readonly what: 'poison' | 'effect' | 'report' | 'sweep' | 'hook';
  readonly id?: string;
  readonly revision?: number;
  /** Type of the event or of the outbox entry; `load` if the document could not be read. */
  readonly type?: string;
  readonly error: unknown;
}

/** Starts the runtime on a store. */
export function startActors(options: ActorsOptions): Actors {
  const { store } = options;
  const now = options.now ?? Date.now;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const fault = options.onFault ?? (() => {});
  const behaviors = new Map<string, Behavior>(options.kinds.map((kind) => [kind.name, behavior(kind)]));
  const overload = new Overload();
  const tracing = options.tracing ?? NO_TRACING;
  const outgoing = new OutgoingBudget(limits.outgoing, overload);
  const residents = new Residents<Activation>(limits, {
    // Loading from a shared store costs more than memory does.
    keepsAll: store.shared,
    forgotten: (activation) => outgoing.forget(activation),
  });
  const node = randomUUID();
  /** Each process counts from a number of its own: one in 10^5 pairs of them meets within a billion entries. */
  let serial = randomInt(2 ** 48 - 1);
  let commits = 0;
  let effects = 0;
  let closing = false;

  const runtimeContext: RuntimeContext = {
    store,
    limits,
    outgoing,
    overload,
    tracing,
    now,
    committer: createCommitter(store, {
      batch: limits.batch,
      bulk: limits.bulk,
      inFlight: Math.min(limits.inFlight, store.atOnce),
      waiting: limits.commits,
      onCall: options.onStoreCall,
    }),
    commitId: () => `${node}.${(commits += 1)}`,
    nextSerial: () => (serial += 1),
    async perform(kind, entry, context, run) {
      const { address, repeated, revision } = run;
      const id = actorId(address);
      let event: ActorEvent | undefined;
      effects += 1;
      try {
        const effect = kind.effects[entry.type];
        if (effect === undefined) throw new Error(`no effect of type ${entry.type}`);
        event = await effect(entry as never, context as never, { address, actors, repeated, revision });
      } catch (error) {
        // A node of the newer release performs it.
        if (error instanceof Unreadable && store.shared) sweep.leave(id);
        // An effect that a stop breaks off stays in the outbox for the next start.
        if (!closing) fault({ what: 'effect', id, type: entry.type, error });
        return;
      } finally {
        effects -= 1;
      }
      if (event === undefined) return;
      try {
        await send(address, event, entry);
      } catch (error) {
        if (!closing) fault({ what: 'report', id, type: event.type, error });
      }
    },
    committed: options.onCommit && reporter(options.onCommit, fault),
    evict(id, queued) {
      const resident = residents.get(id);
      // As for `keepsAll`.
      if (resident?.idle === true && (queued || !store.shared)) residents.forget(resident);
    },
    firstUsed: (id, isStored) => residents.used(id, isStored),
    resized: (change) => residents.resized(change),
    poisoned: (id, revision, type, error) => fault({ what: 'poison', id, revision, type, error }),
  };

  const activationOf = (address: Address): Activation | undefined => {
    const id = actorId(address);
    const resident = residents.get(id);
    if (resident !== undefined) {
      resident.touched = true;
      return resident;
    }
    const kind = behaviors.get(address.kind);
    if (kind === undefined) return undefined;
    const activation = new Activation(address, kind, runtimeContext);
    residents.add(activation);
    return activation;
  };

  const send = (
    address: Address,
    event: ActorEvent | undefined,
    reported?: OutboxEntry,
    isTrial?: boolean,
  ): Promise<unknown> =>
    activationOf(address)?.send(event, reported, isTrial) ??
    Promise.reject(new Error(`no actors of kind ${address.kind}`));

  /** Returns the context in a document of an actor: this node's copy of that revision, if it has one. */
  const contextAt = (id: string, stored: Stored): ActorContext => {
    const copy = residents.get(id)?.copyAt(stored.revision);
    if (copy !== undefined) return copy;
    try {
      return behaviors.get(addressOf(id).kind)!.restore(stored).context;
    } catch (error) {
      runtimeContext.poisoned(id, stored.revision, 'load', error);
      throw error;
    }
  };

  const wake = (id: string): Promise<unknown> => send(addressOf(id), { type: 'wake', now: now() });

  const clockWatch = watchClock({
    store,
    kinds: options.kinds,
    now,
    wake,
    commits: () => commits,
    onError: (error) => fault({ what: 'sweep', error }),
  });

  const sweep = startSweep({
    store,
    now,
    everyMs: limits.sweepMs,
    handles: (id) => behaviors.has(addressOf(id).kind),
    skipMs: limits.postponeMs,
    wake,
    onSweep: () => clockWatch.tick(),
    onError: (error) => fault({ what: 'sweep', error }),
    // On an unshared store, the entries that a stopped process left open are performed at once.
    headStartMs: store.shared ? 0 : limits.retryMs,
  });

  const stopping = 'the service is stopping; nothing was done';
  const request = <R>(address: Address, event: ActorEvent, isTrial?: boolean): Promise<R> =>
    (closing
      ? Promise.reject(new Refusal('unavailable', stopping))
      : send(address, event, undefined, isTrial)) as Promise<R>;
  /** Sends an event within a span: from its arrival until its reply, after the commit. */
  const tracedRequest = <R>(address: Address, event: ActorEvent): Promise<R> => {
    const span = tracing.start(`${address.kind} ${event.type}`, 'internal', event.trace);
    if (span === undefined) return request<R>(address, event);
    // In place: a copy has another hidden class, and events of two slow down each decision.
    event.trace = span.traceparent;
    return traced(span, () => request<R>(address, event));
  };
  const actors: Actors = {
    ask: <R>(address: Address, event: ActorEvent) =>
      event.trace === undefined ? request<R>(address, event) : tracedRequest<R>(address, event),
    tryOut: <R>(address: Address, event: ActorEvent) => request<R>(address, event, true),
    read: <C>(address: Address) => send(address, undefined) as Promise<ActorView<C> | undefined>,
    async readCommitted<C>(address: Address) {
      if (!store.shared) return (actors.peek<C>(address) ?? (await actors.read<C>(address)))?.context;
      const id = actorId(address);
      const stored = await store.load(id);
      return stored && (contextAt(id, stored) as C);
    },
    peek: <C>(address: Address) => residents.get(actorId(address))?.peek() as ActorView<C> | undefined,
    roomOf: (tenant) => outgoing.roomOf(tenant),
    stats: () => ({
      resident: residents.size,
      characters: residents.characters,
      ...mailboxFigures(residents.all()),
      commitsPending: runtimeContext.committer.pending,
      effectsRunning: effects,
      outgoing: outgoing.total,
      refused: overload.counts,
    }),
    async close() {
      closing = true;
      await sweep.close();
      await runtimeContext.committer.close();
      // After the last commit.
      await clockWatch.close();
    },
  };
  return actors;
}

/** Returns the function that reports commits to a hook. An error of the hook is a fault: the commit is durable. */
function reporter(
  hook: (change: CommitChange) => void,
  fault: (fault: ActorFault) => void,
): RuntimeContext['committed'] {
  const shown = ({ value: state, context }: Snapshot): CommittedActor => ({ state, context });
  return (address, before, after) => {
    try {
      hook({ address, before: before && shown(before), after: shown(after) });
    } catch (error) {
      fault({ what: 'hook', id: actorId(address), error });
    }
  };
}

/** Counts the events that wait for actors. */
function mailboxFigures(activations: Iterable<Activation>): Pick<ActorStats, 'waiting' | 'longestMailbox'> {
  let waiting = 0;
  let longestMailbox = 0;
  for (const { mailbox } of activations) {
    waiting += mailbox.size;
    longestMailbox = Math.max(longestMailbox, mailbox.size);
  }
  return { waiting, longestMailbox };
}
