import { overloaded, type Refusal } from '../errors.js';

/** Bounds of the runtime. */
export interface ActorLimits {
  /** Maximum number of idle actors in memory. */
  readonly actors: number;
  /** Maximum number of characters of the documents of actors in memory. */
  readonly characters: number;
  /** Maximum number of outgoing characters: see `OutgoingBudget`. */
  readonly outgoing: number;
  /** Maximum number of messages that wait for one actor. */
  readonly mailbox: number;
  /** Maximum number of commits of one kind that wait for the store. */
  readonly commits: number;
  /** Maximum number of commits in one call of the store. */
  readonly batch: number;
  /** Maximum number of bulk commits in one call of the store: see `createCommitter`. */
  readonly bulk: number;
  /** Maximum number of concurrent calls of the store. */
  readonly inFlight: number;
  /** Maximum number of bytes of UTF-8 of a document after a commit that adds to what the actor keeps. */
  readonly document: number;
  /** Maximum number of bytes of UTF-8 of any document; below the store's own limit (`DOCUMENT_BYTES`). */
  readonly whole: number;
  /** Age at which a copy of a document that other nodes can change is no longer trusted, ms. */
  readonly freshMs: number;
  /** Delay after which an open outbox entry is performed again, ms. */
  readonly retryMs: number;
  /** Delay of a wake-up that the machine ignored, ms. */
  readonly postponeMs: number;
  /** Interval of the sweeps for due wake-ups, ms. */
  readonly sweepMs: number;
}

/** Bounds that suit one node with default settings. */
export const DEFAULT_LIMITS: ActorLimits = {
  actors: 10_000,
  characters: 64 * 1024 * 1024,
  outgoing: 64 * 1024 * 1024,
  mailbox: 1_000,
  commits: 10_000,
  batch: 256,
  bulk: 64,
  inFlight: 2,
  document: 8 * 1024 * 1024,
  whole: 15 * 1024 * 1024,
  freshMs: 500,
  retryMs: 9_000,
  postponeMs: 60_000,
  sweepMs: 250,
};

/**
 * Why the runtime refuses work: `mailbox`: too many events wait for one actor; `commits`: too many commits of one kind wait
 * for the store; `outgoing`: too many outgoing characters of one tenant; `contention`: other nodes change the actor again
 * and again.
 */
export type OverloadCause = 'mailbox' | 'commits' | 'outgoing' | 'contention';

/** Makes the refusals of work for which there is no room, and counts them. */
export class Overload {
  readonly #counts = { mailbox: 0, commits: 0, outgoing: 0, contention: 0 };

  /** Returns a refusal (`unavailable`); `what` says what is full. */
  refuse(cause: OverloadCause, what: string): Refusal {
    this.#counts[cause] += 1;
    return overloaded(what);
  }

  /** Refusals since the start, by cause. */
  get counts(): Readonly<Record<OverloadCause, number>> {
    return { ...this.#counts };
  }
}
