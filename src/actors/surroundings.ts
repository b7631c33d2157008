import type { Address, Store } from '../store/port.js';
import type { Committer } from './committer.js';
import type { Lengths } from './document-size.js';
import type { ActorContext, ActorKind, OutboxEntry } from './kind.js';

/** What the runtime gives each of its cells. */
export interface Surroundings {
  readonly store: Store;
  readonly committer: Committer;
  readonly limits: ActorLimits;
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
  /** A cell will not be needed for long. */
  rests(cell: Idle): void;
  /** A cell's document has become longer, or shorter, by as many characters. */
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

/** Bounds of the runtime. */
export interface ActorLimits {
  /** Most actors kept in memory while they are idle. */
  readonly actors: number;
  /** Most characters of the documents of those. */
  readonly characters: number;
  /** Most messages waiting for one actor. */
  readonly mailbox: number;
  /** Most commits waiting for the store. */
  readonly commits: number;
  /** Most commits in one call of the store. */
  readonly batch: number;
  /** Most calls of the store under way at once. */
  readonly inFlight: number;
  /** Most characters of an actor's document for whoever adds to what it keeps. */
  readonly document: number;
  /** Most characters of a document at all; a document of MongoDB has at most 16 MiB. */
  readonly whole: number;
  /** How long a copy counts as current where other nodes can change the document, ms. */
  readonly freshMs: number;
  /** After what time an entry still in an outbox is performed again, ms. */
  readonly retryMs: number;
  /** How far a wake-up that came to nothing is put off, ms. */
  readonly postponeMs: number;
  /** How often the store is asked for due wake-ups, ms. */
  readonly sweepMs: number;
}

/** Bounds that suit one node with default settings. */
export const DEFAULT_LIMITS: ActorLimits = {
  actors: 10_000,
  characters: 64 * 1024 * 1024,
  mailbox: 1_000,
  commits: 10_000,
  batch: 256,
  inFlight: 2,
  document: 8 * 1024 * 1024,
  whole: 15 * 1024 * 1024,
  freshMs: 500,
  retryMs: 9_000,
  postponeMs: 60_000,
  sweepMs: 250,
};
