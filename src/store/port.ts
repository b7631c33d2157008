import { RetryableError, TerminalError } from '../errors.js';

/**
 * The database of the actor runtime: documents found by id, changed only by compare-and-set on their revision, listed
 * in the order of their ids, and found by the time of their wake-up. Adapters only translate. They contain no rules.
 */
export interface Store {
  /** True if other nodes may change the same documents: a copy in memory may be stale. */
  readonly shared: boolean;

  /**
   * Maximum number of calls of `commit` that run concurrently. Further calls would wait inside the store, where the
   * runtime cannot merge them.
   */
  readonly atOnce: number;

  /**
   * Returns the revision of the next commit on top of `current`; 0 stands for a document that does not exist. It is
   * higher than `current`, and no other commit of the same id ever has it. In rare cases the result is a promise,
   * which rejects with `StoreUnavailable`.
   */
  nextRevision(current: number): number | Promise<number>;

  /**
   * Resolves with the document as last committed, or undefined. Rejects with `StoreUnavailable`. Documents that are asked for
   * at the same time may share a call.
   */
  load(id: string): Promise<Stored | undefined>;

  /**
   * Applies each item independently of the others. Resolves with one result for each, in their order:
   * `won`: the item is durable and survives the loss of power; also if its `commitId` is the stored one already.
   * `lost`: the stored revision is not the expected one, and the item is not written. A `Stored`: the same, with the document
   * that is stored instead.
   * An `Unstorable`: the store can never hold the item. A `StoreUnavailable`: the outcome is unknown.
   * An `Undecided`: the document must be read first, which does not hold up the others.
   * Rejects with `StoreUnavailable` if the outcome of every item is unknown.
   */
  commit(batch: readonly Commit[]): Promise<Result[]>;

  /**
   * Resolves with a page of documents in ascending or descending order of id (the bytes of its UTF-8), starting after
   * `after`. The page ends before its limit once its texts have more than `PAGE_CHARACTERS`; it has one document at
   * least.
   */
  list(query: ListQuery): Promise<ListPage<Listed>>;

  /** As `list`, without the texts; the limit alone ends the page. */
  outline(query: ListQuery): Promise<ListPage<Outline>>;

  /**
   * Holds the present moment for a short while after each use, so that further pages can be listed as they were then. Returns its
   * id; undefined if the store holds none.
   */
  hold(): string | undefined;

  /**
   * Resolves with a page of the documents whose place has an `order`, in ascending order of its `order`, then of id (the bytes of
   * their UTF-8). The page ends as one of `list` does.
   */
  ordered(query: OrderedQuery): Promise<ListPage<Ordered>>;

  /**
   * Resolves with how many documents count as what: for each line in the tags of their places, in ascending order. Other nodes'
   * commits of the last moment may be missing.
   */
  tally(query: TallyQuery): Promise<readonly Tally[]>;

  /**
   * Opens a reading of all documents, which must be closed. A store that is not shared reads one moment, and a shared one each
   * document as committed at its reading: those of the kinds in `first` before all others, in this order of kinds.
   */
  readAll(first?: readonly string[]): Promise<Reading>;

  /** Resolves with the kinds that have documents, each once. The cost depends on their number. */
  kinds(): Promise<readonly string[]>;

  /**
   * Resolves with the number of documents that a query finds, at most its limit. It blocks neither the event loop nor a
   * server for long, with any number of documents. While documents change, the number may be inexact.
   */
  count(query: ListQuery): Promise<number>;

  /**
   * Resolves with the ids of documents in no queue whose `wakeAt` is at or before `now` (ms since the epoch), the longest
   * overdue first.
   */
  due(now: number, limit: number): Promise<string[]>;

  /**
   * Resolves with the queues that have documents, in ascending order of name (the bytes of its UTF-8), starting after
   * `after`: at most `limit`, and fewer only if no more follow. The cost depends on the number of queues listed, not on
   * the number of documents in them.
   */
  queues(after: string | undefined, limit: number): Promise<QueueHead[]>;

  /** Resolves with the documents in a queue whose `wakeAt` is at or after `from` (ms since the epoch), the earliest first. */
  queued(queue: string, from: number, limit: number): Promise<Queued[]>;

  /**
   * Stores a time beside the documents, ms since the epoch, in place of the earlier one. Resolves when it is durable.
   * Rejects with `StoreUnavailable`.
   */
  keepTime(at: number): Promise<void>;

  /** Resolves with the stored time; undefined if there is none. */
  keptTime(): Promise<number | undefined>;

  /** Resolves if the store works; rejects with `StoreUnavailable`. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

/** The result of one commit: see `Store.commit`. */
export type Committed = 'won' | 'lost' | Stored | Error;

/** The result of a commit that is not known yet. The promise does not reject. */
export class Undecided {
  constructor(readonly decided: Promise<Committed>) {}
}

/** A result that is known, or will be. */
export type Result = Committed | Undecided;

/**
 * A document: its promoted fields, by which it is found, and two JSON texts. Nearly every commit writes `frequent`,
 * and few write `rare`.
 */
export interface Stored {
  /** Grows with every commit, and is never used twice for an id, even if the document is deleted in between. */
  readonly revision: number;
  /** Version of the machine that wrote it. */
  readonly version: number;
  /** The machine's state; listings can select by it. */
  readonly state: string;
  /** Time of the next wake-up, ms since the epoch. */
  readonly wakeAt: number | undefined;
  /** The queue in which the document waits. */
  readonly queue?: string | undefined;
  /** Its place among the documents of its kind. Listings leave it out. Its members may be read from the store when they are used. */
  readonly place?: Place | undefined;
  /** JSON text. */
  readonly frequent: string;
  /** JSON text. */
  readonly rare: string;
}

/** The place of a document among those of its kind. */
export interface Place {
  /** `Store.ordered` sorts by it: 1 to 64 printable characters of ASCII. undefined: it does not list the document. */
  readonly order: string | undefined;
  /** What the document counts as: `Store.tally` counts the lines. Each begins with a letter, has at most 256 bytes and stands in it once. */
  readonly tags: string;
}

/** The rarely written text of most documents. */
export const NO_RARE = '{}';

/** A change of one document. */
export interface Commit {
  /** `kind/tenant/name`: see `actorId`. At most 1,000 bytes of UTF-8. */
  readonly id: string;
  /** Revision that must be stored; 0: the document must not exist. */
  readonly expected: number;
  /** The new revision: `nextRevision` of the expected one. Unused if the document is deleted. */
  readonly revision: number;
  /**
   * Unique for each decision. If an answer is lost, the commit is sent again, and the store recognises it by this id.
   */
  readonly commitId: string;
  /** The new document; undefined deletes it. */
  readonly next: NextDocument | undefined;
  /** The promoted fields at the expected revision; undefined if `expected` is 0. */
  readonly previous: Promoted | undefined;
}

/** The fields by which a document is found. */
export type Promoted = Pick<Stored, 'state' | 'wakeAt' | 'queue' | 'place'>;

/** Returns the promoted fields of a document without the rest. `before`: its place if the document gives none. */
export function promotedOf({ state, wakeAt, queue, place }: Promoted, before?: Place): Promoted {
  return { state, wakeAt, queue, place: place ?? before };
}

/** The content that a commit writes. */
export interface NextDocument {
  readonly version: number;
  readonly state: string;
  readonly wakeAt: number | undefined;
  /**
   * JSON text; undefined: as stored. Always given when `expected` is 0. The cost of a commit without texts does not
   * depend on the length of the document.
   */
  readonly frequent: string | undefined;
  /** JSON text; undefined: as stored. Always given when `expected` is 0. */
  readonly rare: string | undefined;
  /**
   * True in the state of most documents of the kind. A store may have no index of it, and then reads all documents of
   * the kind to list by that state.
   */
  readonly unindexed?: boolean;
  /**
   * The queue in which the document waits until its `wakeAt`: `queued` finds it, and `due` does not. A name has at most
   * 640 bytes of UTF-8.
   */
  readonly queue?: string | undefined;
  /** undefined: as stored, none if it never had one. */
  readonly place?: Place | undefined;
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

/** Which documents to list: those of a kind, of a tenant in it, in a state, or both. */
export interface ListQuery {
  readonly kind: string;
  readonly tenant?: string | undefined;
  readonly state?: string | undefined;
  /** Id of the last document of the previous page. In a descending listing the page starts below it. */
  readonly after?: string | undefined;
  /** True for descending order of id. Default: ascending. */
  readonly descending?: boolean;
  /** True: rarely written texts are not read, and given as `NO_RARE`. Default: false. */
  readonly frequentOnly?: boolean;
  /** Id of the moment that is listed, see `Store.hold`; undefined, or one that is not held any more: now. */
  readonly moment?: string | undefined;
  readonly limit: number;
}

/** Which documents to list in the order of their places: those of a kind, or of a tenant in it. */
export interface OrderedQuery extends Pick<ListQuery, 'kind' | 'tenant' | 'moment' | 'limit'> {
  /** The first order that is listed. */
  readonly from: string;
  /** The orders from this one on are not listed. */
  readonly to: string;
  /** The last document of the previous page. */
  readonly after?: Pick<Ordered, 'order' | 'id'> | undefined;
}

/** What to count: documents of a kind, or of a tenant in it. */
export interface TallyQuery extends Pick<ListQuery, 'kind' | 'tenant'> {
  /** Only the lines that begin with it are counted; undefined: all are. */
  readonly prefix?: string | undefined;
  /** Only the lines after it are counted, in ascending order. */
  readonly after?: string | undefined;
  /** Maximum number of lines; undefined: all. */
  readonly limit?: number | undefined;
}

/** How many documents have a line in the tags of their places. */
export interface Tally {
  readonly tag: string;
  readonly count: number;
  /** Id of a document that had it when the line was first counted. */
  readonly id: string;
}

/** Characters of texts that end a page. */
export const PAGE_CHARACTERS = 4 * 1024 * 1024;

/** The result of one call of a listing. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** False if nothing follows the last item; true if something may. */
  readonly more: boolean;
}

/** The promoted fields of a document in a listing. */
export type Outline = Pick<Listed, 'id' | 'revision' | 'version' | 'state' | 'wakeAt'>;

/** A document in a listing. */
export interface Listed extends Stored {
  readonly id: string;
}

/** A reading of all that a store has. */
export interface Reading {
  /** True: the documents are those of one moment. False: each is as committed when it was read. */
  readonly isOneMoment: boolean;
  /** The highest number that is reserved for revisions. A shared store may reserve more while it is read. */
  readonly reserved: number;
  /** See `Store.keptTime`. */
  readonly keptTime: number | undefined;
  /**
   * Yields all documents with their places, a page at a time: in ascending order of id, but for kinds that come first. Rejects with `StoreUnavailable`, also if the
   * store cannot hold the moment for so long.
   */
  pages(): AsyncGenerator<readonly Listed[], void>;
  close(): void;
}

/** Documents that fill an empty store. It stays empty for everybody until `finish` resolves, also if the process is killed. */
export interface StoreImport {
  /** Adds new documents: as `Store.commit`, each with any revision. An item is `lost` if another one has its id. */
  commit(batch: readonly Commit[]): Promise<readonly Committed[]>;
  /**
   * Makes the store of all documents, at once and durably. Rejects with a `StartError` if another import, or a service, was faster.
   * `reserved`: no later revision is in a range of this number or below.
   */
  finish(numbers: Pick<Reading, 'reserved' | 'keptTime'>): Promise<void>;
  /** Removes what was added, unless it is finished. */
  close(): Promise<void>;
}

/** A document in a listing by place. */
export interface Ordered extends Listed {
  readonly order: string;
}

/** The database did not answer, or not in time. The call may have taken effect. */
export class StoreUnavailable extends RetryableError {
  override readonly name = 'StoreUnavailable';
  readonly code = 'store-unavailable';
}

/** A commit that the store can never hold: it is too large, or its id is invalid. Nothing is written. */
export class Unstorable extends TerminalError {
  override readonly name = 'Unstorable';
  readonly code = 'unstorable';
  /** True if a smaller document could be stored. */
  readonly tooLarge: boolean;

  constructor(message: string, options: { readonly tooLarge?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.tooLarge = options.tooLarge ?? false;
  }
}

/** The address of an actor. `tenant` holds no slash; `name` may. */
export interface Address {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
}

/** Returns the document id of an actor; ids of one kind, and of one tenant in it, are neighbours. */
export function actorId(address: Address): string {
  return `${address.kind}/${address.tenant}/${address.name}`;
}

/** Returns the address of a document id: the inverse of `actorId`. */
export function addressOf(id: string): Address {
  const first = id.indexOf('/');
  const second = id.indexOf('/', first + 1);
  return { kind: id.slice(0, first), tenant: id.slice(first + 1, second), name: id.slice(second + 1) };
}
