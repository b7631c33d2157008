/** Bounds of the runtime. */
export interface ActorLimits {
  /** Most actors kept in memory while they are idle. */
  readonly actors: number;
  /** Most characters of the documents of those. */
  readonly characters: number;
  /** Most characters of documents with much on its way out. */
  readonly outgoing: number;
  /** Most messages waiting for one actor. */
  readonly mailbox: number;
  /** Most commits of one kind waiting for the store. */
  readonly commits: number;
  /** Most commits in one call of the store. */
  readonly batch: number;
  /** Most calls of the store under way at once. */
  readonly inFlight: number;
  /** Most bytes of UTF-8 of an actor's document for whoever adds to what it keeps. */
  readonly document: number;
  /** Most bytes of UTF-8 of a document at all: fewer than any store takes (`DOCUMENT_BYTES`). */
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
  outgoing: 64 * 1024 * 1024,
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
