import type { AnyStateMachine } from 'xstate';
import type { Address, Place } from '../store/port.js';
import type { OverloadCause } from './overload.js';

/** An event of an actor. `now` is the time of sending, ms since the epoch: machines do not read a clock. */
export interface ActorEvent {
  readonly type: string;
  readonly now: number;
  /** Who wants the change; only in events whose changes are audited. */
  readonly author?: Author | undefined;
  /** The span that it belongs to, as `traceparent`; undefined if it is not traced. `ask` replaces it by that of the decision. */
  trace?: string | undefined;
}

/** Who changes something, and by what means: such as `alice` by `console`. */
export interface Author {
  readonly who: string;
  readonly via: string;
}

/** A change as the audit shows it. `before` and `after` are JSON without secrets. */
export interface ChangeNote {
  /** A verb, such as `create`. */
  readonly what: string;
  /** What was changed: its path in the API, below the tenant. */
  readonly target: string;
  readonly before?: object;
  readonly after?: object;
}

/** An effect to be performed: stored in the commit that causes it, performed after that commit. */
export interface OutboxEntry {
  /**
   * Unique in the outbox, and the same at every attempt. The effects of entries with one id run one after another. An
   * entry may have the id of an earlier entry that has left the outbox.
   */
  readonly id: string;
  /**
   * The runtime sets it when it commits the entry. A changed copy of the entry keeps it. It distinguishes the entry
   * from all others with the same id.
   */
  readonly serial?: number;
  /** Names the effect of the actor's kind that performs it. */
  readonly type: string;
}

/** The members of every machine's context. */
export interface ActorContext {
  /** Oldest first. */
  readonly outbox: readonly OutboxEntry[];
  /** When the machine wants a `wake` event, ms since the epoch. */
  readonly wakeAt: number | undefined;
  /** When `wakeAt` was planned, ms since the epoch; set by the runtime. */
  plannedAt?: number | undefined;
  /**
   * The reply to the sender of the last event. A `Refusal` rejects the promise of the sender. The reply is never
   * stored. The runtime clears it before the next event.
   */
  reply: unknown;
  /**
   * The version of the document, if releases that know only `leastVersion` must not read it. It lasts as long as the document,
   * whose text does not contain it.
   */
  readonly needsVersion?: number | undefined;
}

/** One run of an effect. */
export interface EffectRun {
  /** The actor whose outbox has the entry. */
  readonly address: Address;
  /** The actors of this node. */
  readonly actors: Actors;
  /** True if an earlier run of the same entry, on this node or another one, may have begun, or may still continue. */
  readonly repeated: boolean;
  /** Revision of the actor's document when the run starts. Its outbox has the entry. */
  readonly revision: number;
}

/**
 * Performs an outbox entry. `context` is the actor's context as committed when the run starts. Returns the event that
 * reports the result to the actor: its machine removes the entry on that event. The runtime drops the event if the
 * outbox has another entry of the same id by then. Returns undefined if the event of another entry reports this one too.
 * A throw leaves the entry in the outbox, and the effect runs again later: an effect runs at least once for each entry.
 */
export type Effect = (entry: never, context: never, run: EffectRun) => Promise<ActorEvent | undefined>;

/** A kind of actor. */
export interface ActorKind {
  /** First part of its documents' ids. */
  readonly name: string;
  /**
   * Version of the machine and its context. A release raises it for every change of its documents but new members of the
   * context, which must be optional: docs/adr/0042-two-releases-at-once.md.
   */
  readonly version: number;
  /** The version of the documents whose context has no `needsVersion`. Absent: `version`. */
  readonly leastVersion?: number;
  /**
   * Input: `{ address }`. Its context extends `ActorContext`; events extend `ActorEvent`; `wake` is one of them. The
   * runtime refuses a machine with features that `transitionOf` does not support.
   */
  readonly machine: AnyStateMachine;
  /**
   * Returns a copy of a context, made as one literal with all members of its type. V8 makes it several times as fast as
   * `{ ...context }` in code that all kinds share. Absent: `{ ...context }`.
   */
  readonly copy?: (context: never) => ActorContext;
  /** Returns the state that follows from a context, in a machine with states of `following`. Absent: transitions set it. */
  readonly stateOf?: (context: never) => string;
  /** Members of the context that few events change: stored as a text of their own. Absent: none. */
  readonly rarelyWritten?: readonly string[];
  /**
   * Types of events that change nothing on the stored document if they change nothing on an older copy of it. All others are decided
   * on the stored document before they are answered without a commit. Absent: none.
   */
  readonly monotonic?: readonly string[];
  /**
   * Members of the context whose change alone causes no commit. The change stays in the memory of the node until the
   * next commit of a frequently written member writes it. A stop or another node's commit loses it. Absent: none.
   */
  readonly lazilyWritten?: readonly string[];
  /** By member of the context: writes it as `JSON.stringify` does, only faster. */
  readonly writers?: Readonly<Record<string, (value: never) => string>>;
  /** By type of outbox entry. */
  readonly effects: Readonly<Record<string, Effect>>;
  /**
   * Returns the context with times after `now` replaced by `now`; the same context if there are none. Called before an
   * event of an actor that was loaded, or after the clock was set back. Absent: `withoutLateWake`.
   */
  readonly afterSetBack?: (context: never, now: number) => ActorContext;
  /**
   * True if actors without a planned wake-up store times. The runtime then wakes all actors of the kind after the clock
   * was set back. Absent: it wakes those with a planned wake-up.
   */
  readonly keepsTime?: boolean;
  /**
   * Returns the number of characters in a context that leave it soon, such as those of messages. `OutgoingBudget`
   * limits them. Absent: 0.
   */
  readonly outgoing?: (context: never) => number;
  /** True if actors of other kinds wait for its commits: it gets a larger share of each call of the store. */
  readonly urgent?: boolean;
  /** States in which actors wait for others: thousands may enter them at once, and get a bounded share of the store. */
  readonly bulkStates?: readonly string[];
  /**
   * States after which few events come soon. The runtime then evicts the actor if the store is unshared, because
   * loads are cheap there.
   */
  readonly evictAfter?: readonly string[];
  /** The state of most actors of the kind: the store may have no index of it. */
  readonly unindexedState?: string;
  /** The state in which an actor's document is deleted. */
  readonly deletedState?: string;
  /**
   * Returns the queue in which an actor of that state and context waits; undefined: none. An actor in a queue gets no
   * `wake`: the reader of the queue sends it an event. Meanwhile it is not in memory.
   */
  readonly queue?: (state: string, context: never) => string | undefined;
  /**
   * The place of an actor among those of its kind, which follows from some members of the context. Absent: the actors of the
   * kind have no places.
   */
  readonly place?: {
    readonly follows: readonly string[];
    readonly of: (context: never) => Place;
  };
  /**
   * Returns the changes that an event with an author has made of a context: each becomes an `audit` entry of the outbox in the
   * same commit. Absent: none is audited.
   */
  readonly notes?: (event: never, before: never, after: never, address: Address) => readonly ChangeNote[];
  /** What users can do if a document is too large, as the end of a sentence. Absent: nothing. */
  readonly whenTooLarge?: string;
  /** Returns the snapshot of this version for one of an older version. */
  readonly migrate?: (old: AgedSnapshot) => Omit<AgedSnapshot, 'version'>;
}

/** A snapshot of an older version of the machine. */
export interface AgedSnapshot {
  readonly version: number;
  readonly state: string;
  readonly context: Record<string, unknown>;
}

/** An actor as committed. */
export interface ActorView<C> {
  readonly revision: number;
  readonly state: string;
  readonly wakeAt: number | undefined;
  readonly context: C;
}

/** The durable actors of one node. */
export interface Actors {
  /**
   * Sends an event to an actor and resolves with its machine's reply once the change is durable. Rejects with the
   * `Refusal` that the machine replies, with a `Refusal` (`unavailable`) under overload, with `StoreUnavailable` if the
   * store does not answer (the outcome is then unknown), and with what the machine throws.
   */
  ask<R>(address: Address, event: ActorEvent): Promise<R>;
  /**
   * As `ask`, only that nothing changes: resolves with the reply that the machine would give, after all events sent before.
   * Rejects with each `Refusal` that the machine replies, or that the size of the document is.
   */
  tryOut<R>(address: Address, event: ActorEvent): Promise<R>;
  /**
   * Resolves with the actor as committed, after all events sent before; undefined if it was never committed. It may lack what
   * another node committed a moment ago.
   */
  read<C>(address: Address): Promise<ActorView<C> | undefined>;
  /**
   * Resolves with the context with all that any node committed before the call; undefined if the actor was never committed. Rejects
   * with `Unreadable` for a document that this release cannot read.
   */
  readCommitted<C>(address: Address): Promise<C | undefined>;
  /** Returns the actor as committed if this node has a fresh copy in memory; otherwise undefined. */
  peek<C>(address: Address): ActorView<C> | undefined;
  /** Returns how many outgoing characters one more event of a tenant may add. */
  roomOf(tenant: string): number;
  /** Returns the figures of the runtime for operators. */
  stats(): ActorStats;
  /** Refuses further events, and waits for the commits in flight. The next start performs the open outbox entries. */
  close(): Promise<void>;
}

/** Figures of the runtime for operators. */
export interface ActorStats {
  /** Actors in memory. */
  readonly resident: number;
  /** Characters of the documents of the actors in memory. */
  readonly characters: number;
  /** Events that wait in mailboxes. */
  readonly waiting: number;
  /** Events that wait in the fullest mailbox. */
  readonly longestMailbox: number;
  readonly commitsPending: number;
  readonly effectsRunning: number;
  /** Outgoing characters: see `OutgoingBudget`. */
  readonly outgoing: number;
  /** Refusals for overload since the start. */
  readonly refused: Readonly<Record<OverloadCause, number>>;
}
