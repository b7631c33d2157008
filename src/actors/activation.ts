import { Refusal } from '../errors.js';
import {
  actorId,
  type Address,
  type NextDocument,
  type Promoted,
  promotedOf,
  type Stored,
  StoreUnavailable,
  Unstorable,
} from '../store/port.js';
import { lengthsOf, NO_LENGTHS, refuseOversized, sizeOf, tooLargeForStore } from './document-size.js';
import type { ActorContext, ActorEvent, ActorView, OutboxEntry } from './kind.js';
import { isSameEntry, RunningEffects } from './outbox.js';
import { type Behavior, isCurrent, type Snapshot } from './behavior.js';
import type { RuntimeContext } from './runtime-context.js';
import { isAhead } from './clock-set-back.js';
import { storeSpans } from './store-spans.js';
import { type Batch, decideBatch, Mailbox, type Message, nextWakeAt, settle } from './batch.js';

/** Maximum number of attempts to commit a batch while other nodes commit first. */
const LOST_LIMIT = 25;
/** Attempts without a pause. After each later one the actor waits for a random time, up to the longest pause, ms. */
const UNPAUSED = 3;
const LONGEST_PAUSE = 64;

/**
 * One actor in memory: the only writer of its document on this node. Events are decided one at a time in order of
 * arrival. All messages that wait form one batch, whose decisions are one commit. Replies and effects follow the commit.
 */
export class Activation {
  readonly id: string;
  /** True after each use. A round of eviction sets it to false. */
  touched = true;
  isPassing = false;
  /** Lengths of the texts of the stored document. */
  lengths = NO_LENGTHS;
  /** Characters that `OutgoingBudget` counts for this actor. */
  outgoing = 0;
  readonly mailbox = new Mailbox();
  #busy = false;
  #loaded = false;
  #committed: Snapshot | undefined;
  #revision = 0;
  /** The promoted fields as stored. A migrated snapshot may have other ones. */
  #promoted: Promoted | undefined;
  /** True if an older version of the machine wrote the stored texts: the next commit writes both. */
  #migrated = false;
  /** True if the copy has newer values of members in `lazilyWritten` than the document. */
  #isNewer = false;
  #checkedAt = 0;
  /** The latest time at which the context was known to have no time in the future; Infinity: it is not known. */
  #latest = Infinity;
  #lost = 0;
  /** True if another node wrote the document that was read last: it may write again, and a batch begins with a read. */
  #contended = false;
  readonly #effects = new RunningEffects();

  constructor(
    readonly address: Address,
    private readonly behavior: Behavior,
    private readonly runtime: RuntimeContext,
  ) {
    this.id = actorId(address);
  }

  /** True if the activation can leave the memory without loss. */
  get idle(): boolean {
    return !this.#busy && this.mailbox.size === 0 && this.#effects.none;
  }

  /** Returns the actor as committed if this node's copy is fresh; otherwise undefined. */
  peek(): ActorView<unknown> | undefined {
    return this.#loaded && this.#revision > 0 && this.#fresh() ? this.#view() : undefined;
  }

  /** Returns the context at a revision; undefined if this node has no copy of it. */
  copyAt(revision: number): ActorContext | undefined {
    return this.#revision === revision ? this.#committed?.context : undefined;
  }

  /**
   * Adds a message with an event to the mailbox. Without an event the message reads the actor. `reported`: the entry
   * whose effect the event reports. The promise is that of `Actors.ask`, `Actors.read` or, with `isTrial`, `Actors.tryOut`.
   */
  send(event: ActorEvent | undefined, reported?: OutboxEntry, isTrial = false): Promise<unknown> {
    if (this.mailbox.size >= this.runtime.limits.mailbox) {
      return Promise.reject(this.runtime.overload.refuse('mailbox', `too many requests wait for ${this.id}`));
    }
    return new Promise((resolve, reject) => {
      this.mailbox.push({ event, isTrial, reported, resolve, reject });
      if (!this.#busy) this.#next();
    });
  }

  #next(): void {
    if (this.mailbox.size === 0) return;
    this.#busy = true;
    if (!this.#loaded || this.#contended) return void this.#load();
    this.#take(this.mailbox.next(), !this.runtime.store.shared);
  }

  /** Continues with the stored document. `found`: it is known already, and was read after `askedAt`. */
  async #load(found?: Stored, askedAt = this.runtime.now()): Promise<void> {
    let stored = found;
    try {
      stored ??= await this.runtime.store.load(this.id);
      this.#restore(stored, askedAt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.runtime.poisoned(this.id, stored?.revision ?? 0, 'load', error);
      }
      this.#fail(this.mailbox.all(), error);
      return;
    }
    // The document is fresh for all messages that waited for it, also if the store took long.
    this.#take(this.mailbox.next(), true);
  }

  #restore(stored: Stored | undefined, askedAt: number): void {
    this.#checkedAt = askedAt;
    this.#latest = Infinity;
    this.#contended = this.#revision > 0 && this.#revision !== stored?.revision;
    if (stored !== undefined && this.copyAt(stored.revision) !== undefined) {
      // The copy may have newer values of members in `lazilyWritten`.
      this.#loaded = true;
      return;
    }
    this.#committed =
      stored === undefined ? this.behavior.initial(this.address) : this.behavior.restore(stored);
    this.#revision = stored?.revision ?? 0;
    this.#promoted = stored && promotedOf(stored);
    this.#migrated = stored !== undefined && !isCurrent(this.behavior.kind, stored.version);
    this.#isNewer = false;
    this.#loaded = true;
    this.#measure(stored);
  }

  /** Decides messages on the copy. `isStored`: it has just been read, or no other node can change the document. */
  #take(messages: readonly Message[], isStored: boolean): void {
    const before = this.#committed!;
    const now = this.runtime.now();
    const isDue = !this.runtime.store.shared || this.#isDue(now);
    const batch = decideBatch(this.behavior, this.#afterSetBack(before, messages, now), messages, {
      address: this.address,
      isDue,
      nextSerial: this.runtime.nextSerial,
      onThrow: (type, error) => this.runtime.poisoned(this.id, this.#revision, type, error),
      check: (snapshot) => void this.#sized(snapshot, this.#promoted?.wakeAt),
    });
    const wakeAt = nextWakeAt(batch, before, this.#promoted?.wakeAt, now, this.runtime.limits);
    // A wake-up that changes nothing still moves its time, or every sweep would find it.
    if (
      this.behavior.differs(before, batch.snapshot) ||
      (batch.wakeUp && wakeAt !== this.#promoted?.wakeAt)
    ) {
      this.#commit(batch, wakeAt);
    } else if (isStored || (this.#fresh() && messages.every((message) => this.#trusts(message)))) {
      // The snapshot may differ in members of `lazilyWritten`.
      this.#isNewer ||= batch.snapshot !== before;
      this.#committed = batch.snapshot;
      if (batch.wakeUp) this.#perform(before.context.outbox, true);
      this.#settle(batch);
    } else {
      this.#reload(messages);
    }
  }

  /** Returns the snapshot without times in the future, if there is an event. Nearly every call is one comparison. */
  #afterSetBack(snapshot: Snapshot, messages: readonly Message[], now: number): Snapshot {
    if (!isAhead(this.#latest, now)) {
      if (now > this.#latest) this.#latest = now;
      return snapshot;
    }
    if (messages.every(({ event }) => event === undefined)) return snapshot;
    const after = this.behavior.afterSetBack(snapshot, now);
    // Otherwise the time becomes known with the commit.
    if (after === snapshot) this.#latest = now;
    return after;
  }

  /**
   * True if the stored wake-up is due. Also true if the wake-up is a retry of the outbox, planned before the clock
   * was set back.
   */
  #isDue(now: number): boolean {
    const { wakeAt = Infinity } = this.#promoted ?? {};
    if (wakeAt <= now) return true;
    return this.#committed!.context.outbox.length > 0 && isAhead(wakeAt, now + this.runtime.limits.retryMs);
  }

  #commit(batch: Batch, wakeAt: number | undefined): void {
    if (this.runtime.committer.isFull(this.address.kind))
      return this.#fail(batch.messages, this.runtime.overload.refuse('commits', 'the store is behind'));
    let document: NextDocument;
    try {
      document = this.#document(batch.snapshot, wakeAt);
    } catch (error) {
      return this.#refuse(batch.messages, error);
    }
    if (batch.snapshot.value === this.behavior.kind.deletedState) return this.#stage(batch, undefined, 0);
    const revision = this.runtime.store.nextRevision(this.#revision);
    if (typeof revision === 'number') return this.#stage(batch, document, revision);
    const fail = (error: unknown): void => this.#fail(batch.messages, error);
    void revision.then((reserved) => this.#stage(batch, document, reserved), fail);
  }

  #stage(batch: Batch, next: NextDocument | undefined, revision: number): void {
    const askedAt = this.runtime.now();
    const [expected, previous] = [this.#revision, this.#promoted];
    const ended = storeSpans(this.runtime.tracing, batch.messages);
    this.runtime.committer.stage(
      { id: this.id, expected, revision, commitId: this.runtime.commitId(), next, previous },
      (result) => {
        ended?.(result);
        if (result === 'won') this.#won(batch, next, revision, askedAt);
        else if (result === 'lost') this.#retry(batch.messages);
        else if (!(result instanceof Error)) this.#retry(batch.messages, result, askedAt);
        else if (result instanceof StoreUnavailable || result instanceof Refusal) {
          this.#loaded = false;
          this.#fail(batch.messages, result);
        } else if (result instanceof Unstorable && result.tooLarge) {
          this.#refuse(batch.messages, tooLargeForStore(this.id, this.behavior.kind));
        } else this.#refuse(batch.messages, result);
      },
      this.address.tenant,
      this.behavior.kind,
    );
  }

  #document(snapshot: Snapshot, wakeAt: number | undefined): NextDocument {
    const document = this.#sized(snapshot, wakeAt);
    this.runtime.outgoing.admit(this, this.behavior.kind, snapshot.context);
    return document;
  }

  /** Returns the document of a snapshot. Throws a `Refusal` if it is too large. */
  #sized(snapshot: Snapshot, wakeAt: number | undefined): NextDocument {
    const before = this.#revision === 0 || this.#migrated ? undefined : this.#committed!;
    const document = this.behavior.document(snapshot, before, wakeAt);
    const [from, to] = [this.lengths, lengthsOf(document, this.lengths)];
    const frequentBefore = (): string =>
      this.behavior.document(this.#committed!, undefined, wakeAt).frequent!;
    const change = { from, to, frequent: document.frequent, frequentBefore, migrated: this.#migrated };
    refuseOversized(this.id, this.behavior.kind, change, this.runtime.limits);
    return document;
  }

  #won(batch: Batch, document: NextDocument | undefined, revision: number, askedAt: number): void {
    const before = this.#revision === 0 ? undefined : this.#committed;
    this.#committed = document === undefined ? this.behavior.initial(this.address) : batch.snapshot;
    this.#revision = revision;
    this.#promoted = document && promotedOf(document, this.#promoted?.place);
    this.#migrated = false;
    this.#isNewer = false;
    this.#checkedAt = askedAt;
    this.#lost = 0;
    this.#measure(document);
    this.runtime.committed?.(this.address, before, batch.snapshot);
    this.#perform(before?.context.outbox ?? [], batch.wakeUp);
    this.#settle(batch);
    // Nothing is left of it.
    if (document === undefined) this.runtime.evict(this.id, true);
  }

  #measure(document: Stored | NextDocument | undefined): void {
    const before = this.lengths;
    this.lengths = lengthsOf(document, before);
    this.runtime.outgoing.count(this, this.behavior.kind, this.#committed?.context);
    this.runtime.resized(sizeOf(this.lengths) - sizeOf(before));
  }

  /**
   * Called if no document can hold the decisions: each message gets a batch of its own, so that only one of them
   * fails.
   */
  #refuse(messages: readonly Message[], error: unknown): void {
    if (messages.length > 1) {
      this.mailbox.putBack(messages, 'singly');
      return this.#next();
    }
    if (!(error instanceof Refusal)) {
      this.runtime.poisoned(this.id, this.#revision, messages[0]!.event!.type, error);
    }
    this.#fail(messages, error);
  }

  /** Called if another node's commit came first; `found`: the document that was stored after `askedAt`. */
  #retry(messages: readonly Message[], found?: Stored, askedAt?: number): void {
    this.#lost += 1;
    this.#loaded = false;
    if (this.#lost <= UNPAUSED) return this.#reload(messages, found, askedAt);
    if (this.#lost <= LOST_LIMIT) {
      // The other nodes finish meanwhile, and more messages join this batch.
      const pause = Math.random() * Math.min(2 ** (this.#lost - UNPAUSED), LONGEST_PAUSE);
      return void setTimeout(() => this.#reload(messages), pause);
    }
    this.#lost = 0;
    const what = `${this.id} is being changed by many nodes at once`;
    this.#fail(messages, this.runtime.overload.refuse('contention', what));
  }

  /** Decides the same events again on the stored document. */
  #reload(messages: readonly Message[], found?: Stored, askedAt?: number): void {
    this.#loaded = false;
    this.mailbox.putBack(messages);
    void this.#load(found, askedAt);
  }

  #fail(messages: readonly Message[], error: unknown): void {
    this.#busy = false;
    this.runtime.outgoing.count(this, this.behavior.kind, this.#committed?.context);
    for (const message of messages) message.reject(error);
    if (this.isPassing) this.runtime.firstUsed(this.id, false);
    // In a later turn of the event loop: the messages that wait may fail at once, too, a thousand times in a row.
    if (this.mailbox.size > 0) setImmediate(() => this.#busy || this.#next());
  }

  #settle(batch: Batch): void {
    this.#busy = false;
    settle(batch, () => (this.#revision === 0 ? undefined : this.#view()));
    if (!this.#busy) this.#next();
    if (this.#promoted?.queue !== undefined) this.runtime.evict(this.id, true);
    else if (this.behavior.kind.evictAfter?.includes(this.#committed!.value))
      this.runtime.evict(this.id, false);
    else if (this.isPassing) this.runtime.firstUsed(this.id, !this.#isNewer);
  }

  #perform(before: readonly OutboxEntry[], retry: boolean): void {
    const { outbox } = this.#committed!.context;
    if (outbox.length === 0) return;
    this.#effects.start(outbox, before, retry, (entry, repeated, late) => {
      const { context } = this.#committed!;
      if (late && !context.outbox.some((one) => isSameEntry(one, entry))) return Promise.resolve();
      return this.runtime.perform(this.behavior.kind, entry, context, {
        address: this.address,
        revision: this.#revision,
        repeated,
      });
    });
  }

  /** True for what a fresh copy decides also without a commit, which would compare the revision. */
  #trusts({ event }: Message): boolean {
    return event === undefined || this.behavior.kind.monotonic?.includes(event.type) === true;
  }

  #fresh(): boolean {
    if (!this.runtime.store.shared) return true;
    const age = this.runtime.now() - this.#checkedAt;
    // Negative after the clock was set back.
    return age >= 0 && age < this.runtime.limits.freshMs;
  }

  #view(): ActorView<unknown> {
    const { value: state, context } = this.#committed!;
    return { revision: this.#revision, state, wakeAt: this.#promoted?.wakeAt, context };
  }
}
