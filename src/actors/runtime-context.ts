import type { Address, Store } from '../store/port.js';
import type { Committer } from './committer.js';
import type { Lengths } from './document-size.js';
import type { ActorContext, ActorKind, OutboxEntry } from './kind.js';
import type { ActorLimits } from './limits.js';
import type { Outgoing } from './outgoing.js';

/** What the runtime gives each of its activations. */
export interface RuntimeContext {
  readonly store: Store;
  readonly committer: Committer;
  readonly limits: ActorLimits;
  readonly outgoing: Outgoing;
  /** ms since the epoch. */
  now(): number;
  /** Unique over all nodes and decisions. */
  commitId(): string;
  /** Performs an entry of the outbox and tells the actor; resolves when that is durable, or has to be tried again. */
  perform(
    kind: ActorKind,
    entry: OutboxEntry,
    context: ActorContext,
    address: Address,
    repeated: boolean,
  ): Promise<void>;
  /** A activation will not be needed for long; `queued`: any node may be the next to need it. */
  rests(activation: Idle, queued: boolean): void;
  /** A activation's document has become longer, or shorter, by as many characters. */
  resized(by: number): void;
  /** A machine threw, or a document could not be read (`load`): logged, counted, answered to the one who asked. */
  poisoned(id: string, revision: number, eventType: string, error: unknown): void;
}

/** What may be forgotten. */
export interface Idle {
  readonly id: string;
  readonly lengths: Lengths;
  /** True where it can be forgotten without loss. */
  readonly idle: boolean;
}
