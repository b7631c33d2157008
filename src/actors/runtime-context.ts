import type { Address, Store } from '../store/port.js';
import type { Snapshot } from './behavior.js';
import type { Committer } from './committer.js';
import type { ActorContext, ActorKind, EffectRun, OutboxEntry } from './kind.js';
import type { ActorLimits, Overload } from './overload.js';
import type { Tracing } from '../tracing/port.js';
import type { OutgoingBudget } from './outgoing-budget.js';

/** The parts of the runtime that its activations share. */
export interface RuntimeContext {
  readonly store: Store;
  readonly committer: Committer;
  readonly limits: ActorLimits;
  readonly outgoing: OutgoingBudget;
  readonly overload: Overload;
  readonly tracing: Tracing;
  /** ms since the epoch. */
  now(): number;
  /** Unique over all nodes and decisions. */
  commitId(): string;
  /** Returns the serial of a new outbox entry: unlike that of any other one, on any node. */
  readonly nextSerial: () => number;
  /** Runs the effect of an outbox entry and sends its event to the actor; resolves once that is durable, or has failed. */
  perform(
    kind: ActorKind,
    entry: OutboxEntry,
    context: ActorContext,
    run: Omit<EffectRun, 'actors'>,
  ): Promise<void>;
  /** Called after a commit is won. undefined if nobody listens. See `CommitChange`. */
  readonly committed: ((address: Address, before: Snapshot | undefined, after: Snapshot) => void) | undefined;
  /** Called when the actor of an id is not needed for a while; `queued`: any node may be the next to need it. */
  evict(id: string, queued: boolean): void;
  /** Called after the first use of an actor that is passing: see `Residents.used`. */
  firstUsed(id: string, isStored: boolean): void;
  /** Called when an activation's document has become longer by so many characters; negative: shorter. */
  resized(characters: number): void;
  /** Called when a machine threw on an event, or a document could not be read (`load`). */
  poisoned(id: string, revision: number, eventType: string, error: unknown): void;
}
