import type { AnyStateMachine } from 'xstate';
import type { Address } from '../store/port.js';
import type { Actors } from './runtime.js';

/** What an actor is told. `now` is the time it is told at, ms since the epoch: machines never look at a clock. */
export interface ActorEvent {
  readonly type: string;
  readonly now: number;
}

/** Something that has to happen outside; written in the commit of the state that caused it and done after it. */
export interface OutboxEntry {
  /** Unique in its actor, the same at every attempt. */
  readonly id: string;
  /** Names the effect of the actor's kind that performs it. */
  readonly type: string;
}

/** What every machine keeps in its context beside its own. */
export interface ActorContext {
  /** Oldest first. */
  readonly outbox: readonly OutboxEntry[];
  /** When the machine wants to be told `wake`, ms since the epoch. */
  readonly wakeAt: number | undefined;
  /**
   * What the last event's sender is answered once the change is durable; a `Refusal` rejects. Never stored, and
   * cleared by the runtime before the next event.
   */
  reply: unknown;
}

/** One run of an effect. */
export interface EffectRun {
  /** The actor whose outbox has the entry. */
  readonly address: Address;
  /** The actors of this node. */
  readonly actors: Actors;
  /** True if an earlier run of the same entry, on this node or another one, may have begun or still be going on. */
  readonly repeated: boolean;
}

/**
 * Performs an outbox entry. `context` is the actor's context as committed when the run starts. Returns the event that
 * reports the result to the actor: its machine removes the entry on that event. Returns undefined if the event of
 * another entry reports this one too. A throw leaves the entry in the outbox, and the effect runs again later: an
 * effect runs at least once for each entry.
 */
export type Effect = (entry: never, context: never, run: EffectRun) => Promise<ActorEvent | undefined>;

/** A kind of actor. */
export interface ActorKind {
  /** First part of its documents' ids. */
  readonly name: string;
  /** Version of the machine and its context; raised with every change that old snapshots would not survive. */
  readonly version: number;
  /** Input: `{ address }`. Its context extends `ActorContext`; events extend `ActorEvent`; `wake` is one of them. */
  readonly machine: AnyStateMachine;
  /** Keys of the context that few events change: stored as a text of their own. */
  readonly rarelyWritten: readonly string[];
  /** Writes fields of the context as `JSON.stringify` would, where that takes too long; by key. */
  readonly writers?: Readonly<Record<string, (value: never) => string>>;
  readonly effects: Readonly<Record<string, Effect>>;
  /** Characters in a context that are on their way out: how many of them a tenant may have is bounded. Absent: none. */
  readonly outgoing?: (context: never) => number;
  /** True where others wait for what its actors have decided: more of it is committed at a time than of other kinds. */
  readonly urgent?: boolean;
  /** The states in which an actor is rarely told anything more soon: it is not kept in memory then where loading is cheap. */
  readonly evictAfter?: readonly string[];
  /** The state, where there is one, that most actors of the kind are in: they are seldom listed by it. */
  readonly unindexedState?: string;
  /** The state, where there is one, in which an actor's document is deleted. */
  readonly deletedState?: string;
  /**
   * The queue, where there is one, in which an actor of that state and context waits: somebody who takes it from there
   * tells it that its turn has come, and no `wake` does. It is not kept in memory meanwhile.
   */
  readonly queue?: (state: string, context: never) => string | undefined;
  /** What its users can remove where a document would be too large: the end of a sentence. Absent: nothing. */
  readonly room?: string;
  /** Turns a snapshot of an older version into one of this version. */
  readonly migrate?: (old: AgedSnapshot) => Omit<AgedSnapshot, 'version'>;
}

/** A snapshot as an older version of the machine left it. */
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
