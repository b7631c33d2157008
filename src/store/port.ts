import { RetryableError, TerminalError } from '../errors.js';

/**
 * What the actor runtime asks of a database: documents found by id, changed only by compare-and-set on their
 * revision, listed in the order of their ids, and woken by time. Adapters translate; they hold no rules.
 */
export interface Store {
  /** True where other nodes may change the same documents, so that a cached copy can be stale. */
  readonly shared: boolean;

  /** Calls of `commit` that it works at at the same time; more would wait inside, where they can no longer become one. */
  readonly atOnce: number;

  /**
   * The revision of the next commit on top of `current`, 0 standing for a document that does not exist: higher than
   * `current`, and one that no commit of the same key has ever had or will have. A promise where the store has to be
   * asked, which is seldom; it rejects with `StoreUnavailable`.
   */
  nextRevision(current: number): number | Promise<number>;

  /** The document as last committed, or undefined. Throws `StoreUnavailable`. */
  load(id: string): Promise<Stored | undefined>;

  /**
   * Applies each item on its own (no item depends on another), durably: when this resolves, every `won` item
   * survives the loss of power. `lost` means that the expected revision was not the stored one and that nothing of
   * that item was written. An item whose `commitId` is already the stored one has been won before. An item that the
   * store can never hold fails alone, with an `Unstorable`, and one whose outcome is not known alone with a
   * `StoreUnavailable`. Rejects with `StoreUnavailable` where that is true of all: some may have been applied and some
   * not.
   */
  commit(batch: readonly Commit[]): Promise<Committed[]>;

  /**
   * A page of documents in ascending order of id (the bytes of its UTF-8), starting behind `after`. It ends before
   * its limit once its texts have more than `PAGE_CHARACTERS`, behind one document at least.
   */
  list(query: ListQuery): Promise<ListPage<Listed>>;

  /** As `list`, without the texts, and as many as the limit says. */
  outline(query: ListQuery): Promise<ListPage<Outline>>;

  /**
   * Ids of documents in no queue whose `wakeAt` is at or before `now` (ms since the epoch), the longest overdue first.
   */
  due(now: number, limit: number): Promise<string[]>;

  /**
   * The queues in which documents wait, in ascending order of name (the bytes of its UTF-8), starting behind `after`:
   * at most `limit`, fewer only where no more follow. The cost follows the number of queues listed, not the number of
   * documents in them.
   */
  queues(after: string | undefined, limit: number): Promise<QueueHead[]>;

  /** The documents that wait in a queue and whose `wakeAt` is at or behind `from`, the earliest first. */
  queued(queue: string, from: number, limit: number): Promise<Queued[]>;

  /** Resolves when the store can serve; rejects with `StoreUnavailable`. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export type Outcome = 'won' | 'lost';

/** What a call tells of a commit. */
export type Committed = Outcome | Error;

/** A document: its promoted fields and two JSON texts, one that nearly every commit changes and one that few do. */
export interface Stored {
  /** Grows with every commit; none comes twice for a key, also not where its document was deleted in between. */
  readonly revision: number;
  /** Version of the machine that wrote it. */
  readonly version: number;
  /** The machine's state, promoted so that it can be listed by. */
  readonly state: string;
  /** When the actor wants to be woken, ms since the epoch. */
  readonly wakeAt: number | undefined;
  /** The queue that it waits in. */
  readonly queue?: string | undefined;
  /** JSON text. */
  readonly hot: string;
  /** JSON text. */
  readonly cold: string;
}

/** A change of one document. */
export interface Commit {
  /** `kind/tenant/name`: see `actorId`. At most 1,000 bytes of UTF-8. */
  readonly id: string;
  /** Revision that must be stored; 0: the document must not exist. */
  readonly expected: number;
  /** The new revision: `nextRevision` of the expected one. Of no meaning where the document is deleted. */
  readonly revision: number;
  /** Unique per decision, so that a commit whose answer was lost is recognised when it is tried again. */
  readonly commitId: string;
  /** The new document; undefined deletes it. */
  readonly next: NextDocument | undefined;
  /** The promoted fields at the expected revision; undefined when `expected` is 0. */
  readonly previous: Promoted | undefined;
}

/** The fields of a document that it can be found by. */
export type Promoted = Pick<Stored, 'state' | 'wakeAt' | 'queue'>;

/** The promoted fields of a document, without the rest. */
export function promotedOf({ state, wakeAt, queue }: Promoted): Promoted {
  return { state, wakeAt, queue };
}

/** The content that a commit writes. */
export interface NextDocument {
  readonly version: number;
  readonly state: string;
  readonly wakeAt: number | undefined;
  /**
   * JSON text; undefined: as stored. Always given when `expected` is 0. A commit without texts costs the same whatever
   * the length of the document.
   */
  readonly hot: string | undefined;
  /** JSON text; undefined: as stored. Always given when `expected` is 0. */
  readonly cold: string | undefined;
  /**
   * True in a state that most documents of the kind are in: a store may do without an index of those, and go through
   * the kind where they are listed by it.
   */
  readonly usual?: boolean;
  /**
   * The queue in which it waits until its `wakeAt`: it is found by `queued` then, and not by `due`. A name has at most
   * 640 bytes of UTF-8.
   */
  readonly queue?: string | undefined;
}

/** A queue, and the earliest `wakeAt` of the documents in it, ms since the epoch. */
export interface QueueHead {
  readonly queue: string;
  readonly wakeAt: number;
}

/** A document in a queue. */
export interface Queued {
  readonly id: string;
  /** ms since the epoch. */
  readonly wakeAt: number;
}

/** Which documents to list; `kind` alone, or narrowed by tenant, by state, or by both. */
export interface ListQuery {
  readonly kind: string;
  readonly tenant?: string | undefined;
  readonly state?: string | undefined;
  /** Id of the last document of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Characters of texts after which a page takes no further document. */
export const PAGE_CHARACTERS = 4 * 1024 * 1024;

/** What one call lists. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** False where nothing follows the last item; true where something may. */
  readonly more: boolean;
}

/** The promoted fields of a document in a listing. */
export type Outline = Pick<Listed, 'id' | 'revision' | 'state' | 'wakeAt'>;

/** A document in a listing. */
export interface Listed extends Stored {
  readonly id: string;
}

/** The database did not answer, or not in time. What was asked of it may or may not have happened. */
export class StoreUnavailable extends RetryableError {
  override readonly name = 'StoreUnavailable';
  readonly code = 'store-unavailable';
}

/** A commit that the store, or its driver, refuses for its own sake: it is too large, or its key is none. Nothing is written. */
export class Unstorable extends TerminalError {
  override readonly name = 'Unstorable';
  readonly code = 'unstorable';
}

/** Who an actor is. `tenant` holds no slash; `name` may. */
export interface Address {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
}

/** The document id of an actor, such that ids of one kind, and of one tenant in it, are neighbours. */
export function actorId(address: Address): string {
  return `${address.kind}/${address.tenant}/${address.name}`;
}

/** The inverse of `actorId`. */
export function addressOf(id: string): Address {
  const first = id.indexOf('/');
  const second = id.indexOf('/', first + 1);
  return { kind: id.slice(0, first), tenant: id.slice(first + 1, second), name: id.slice(second + 1) };
}
