import { Refusal } from '../errors.js';
import { actorId, promotedOf, StoreUnavailable } from '../store/port.js';
import type { Address, NextDocument, Promoted, Stored } from '../store/port.js';
import { overloaded } from './committer.js';
import { lengthsOf, NOTHING, refuseOutgrown, sizeOf } from './document-size.js';
import type { ActorEvent, ActorView, OutboxEntry } from './kind.js';
import { Mailbox } from './mailbox.js';
import { Performing } from './performing.js';
import type { Behavior, Snapshot } from './behavior.js';
import type { RuntimeContext } from './runtime-context.js';
import { answer, decide, nextWake } from './turn.js';
import type { Envelope, Turn } from './turn.js';

/** How often a decision is made again after losing the race for its revision. */
const LOST_LIMIT = 25;

/**
 * One actor in memory: the only writer of its key on this node. Events are decided one at a time in order of
 * arrival; what was decided in one turn is committed together; nobody is answered, and no effect performed, before.
 */
export class Activation {
  readonly id: string;
  /** Set on every use, cleared by the cache's eviction round. */
  touched = true;
  /** Of the document as last known to be stored. */
  lengths = NOTHING;
  /** See `Outgoing`. */
  outgoing = 0;
  readonly #mailbox = new Mailbox();
  #busy = false;
  #loaded = false;
  #committed: Snapshot | undefined;
  #revision = 0;
  /** As stored; those of a migrated snapshot may differ from them. */
  #promoted: Promoted | undefined;
  /** True where the stored texts are those of an older version, and none of them can stay. */
  #aged = false;
  #checkedAt = 0;
  #lost = 0;
  readonly #performing = new Performing();

  constructor(
    readonly address: Address,
    private readonly behavior: Behavior,
    private readonly runtime: RuntimeContext,
  ) {
    this.id = actorId(address);
  }

  /** True where the activation can be forgotten without loss. */
  get idle(): boolean {
    return !this.#busy && this.#mailbox.size === 0 && this.#performing.idle;
  }

  /** The actor as committed, where this node knows it freshly enough; undefined: ask with `send`. */
  peek(): ActorView<unknown> | undefined {
    return this.#loaded && this.#revision > 0 && this.#fresh() ? this.#view() : undefined;
  }

  /** Puts an event, or a look, into the mailbox. The promise follows the rules of `Actors.ask` and `Actors.read`. */
  send(event: ActorEvent | undefined): Promise<unknown> {
    if (this.#mailbox.size >= this.runtime.limits.mailbox) {
      return Promise.reject(overloaded(`too many requests wait for ${this.id}`));
    }
    return new Promise((resolve, reject) => {
      this.#mailbox.push({ event, resolve, reject });
      if (!this.#busy) this.#proceed();
    });
  }

  #proceed(): void {
    if (this.#mailbox.size === 0) return;
    this.#busy = true;
    if (!this.#loaded) return void this.#load();
    this.#take(this.#mailbox.next(), this.#fresh());
  }

  async #load(): Promise<void> {
    const askedAt = this.runtime.now();
    let stored: Stored | undefined;
    try {
      stored = await this.runtime.store.load(this.id);
      this.#accept(stored, askedAt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.runtime.poisoned(this.id, stored?.revision ?? 0, 'load', error);
      }
      this.#fail(this.#mailbox.all(), error);
      return;
    }
    // Fresh for everybody who was waiting, however long the store took.
    this.#take(this.#mailbox.next(), true);
  }

  #accept(stored: Stored | undefined, askedAt: number): void {
    this.#committed =
      stored === undefined ? this.behavior.initial(this.address) : this.behavior.restore(stored);
    this.#revision = stored?.revision ?? 0;
    this.#promoted = stored && promotedOf(stored);
    this.#aged = stored !== undefined && stored.version !== this.behavior.kind.version;
    this.#loaded = true;
    this.#checkedAt = askedAt;
    this.#measure(stored);
  }

  #take(envelopes: readonly Envelope[], fresh: boolean): void {
    const before = this.#committed!;
    const now = this.runtime.now();
    const due = !this.runtime.store.shared || (this.#promoted?.wakeAt ?? Infinity) <= now;
    const turn = decide(this.behavior, before, envelopes, due, (type, error) =>
      this.runtime.poisoned(this.id, this.#revision, type, error),
    );
    const wakeAt = nextWake(turn, before, this.#promoted?.wakeAt, now, this.runtime.limits);
    // A wake-up that changes nothing must still move a past `wakeAt` on, or the sweep would find it for ever.
    if (this.behavior.differs(before, turn.snapshot) || (turn.woken && wakeAt !== this.#promoted?.wakeAt)) {
      this.#commit(turn, wakeAt);
    } else if (fresh) {
      if (turn.woken) this.#perform(before.context.outbox, true);
      this.#answer(turn);
    } else {
      this.#reload(envelopes);
    }
  }

  #commit(turn: Turn, wakeAt: number | undefined): void {
    if (this.runtime.committer.isFull(this.address.kind))
      return this.#fail(turn.envelopes, overloaded('the store is behind'));
    let document: NextDocument;
    try {
      document = this.#document(turn.snapshot, wakeAt);
    } catch (error) {
      return this.#impossible(turn.envelopes, error);
    }
    if (turn.snapshot.value === this.behavior.kind.deletedState) return this.#stage(turn, undefined, 0);
    const revision = this.runtime.store.nextRevision(this.#revision);
    if (typeof revision === 'number') return this.#stage(turn, document, revision);
    const fail = (error: unknown): void => this.#fail(turn.envelopes, error);
    void revision.then((reserved) => this.#stage(turn, document, reserved), fail);
  }

  #stage(turn: Turn, next: NextDocument | undefined, revision: number): void {
    const askedAt = this.runtime.now();
    const [expected, previous] = [this.#revision, this.#promoted];
    this.runtime.committer.stage(
      { id: this.id, expected, revision, commitId: this.runtime.commitId(), next, previous },
      (outcome, error) => {
        if (outcome === 'won') this.#won(turn, next, revision, askedAt);
        else if (outcome === 'lost') this.#again(turn.envelopes);
        else if (error instanceof StoreUnavailable || error instanceof Refusal) {
          this.#loaded = false;
          this.#fail(turn.envelopes, error);
        } else this.#impossible(turn.envelopes, error);
      },
      this.behavior.kind,
    );
  }

  #document(snapshot: Snapshot, wakeAt: number | undefined): NextDocument {
    const before = this.#revision === 0 || this.#aged ? undefined : this.#committed!;
    const document = this.behavior.document(snapshot, before, wakeAt);
    const [from, to] = [this.lengths, lengthsOf(document, this.lengths)];
    const hotBefore = (): string => this.behavior.document(this.#committed!, undefined, wakeAt).hot!;
    const change = { from, to, hot: document.hot, hotBefore, aged: this.#aged };
    refuseOutgrown(this.id, this.behavior.kind, change, this.runtime.limits);
    this.runtime.outgoing.admit(this, this.behavior.kind, snapshot.context);
    return document;
  }

  #won(turn: Turn, document: NextDocument | undefined, revision: number, askedAt: number): void {
    const known = this.#committed!.context.outbox;
    this.#committed = document === undefined ? this.behavior.initial(this.address) : turn.snapshot;
    this.#revision = revision;
    this.#promoted = document && promotedOf(document);
    this.#aged = false;
    this.#checkedAt = askedAt;
    this.#lost = 0;
    this.#measure(document);
    this.#perform(known, turn.woken);
    this.#answer(turn);
  }

  #measure(document: Stored | NextDocument | undefined): void {
    const before = this.lengths;
    this.lengths = lengthsOf(document, before);
    this.runtime.outgoing.count(this, this.behavior.kind, this.#committed?.context);
    this.runtime.resized(sizeOf(this.lengths) - sizeOf(before));
  }

  /** No document can hold what was decided. Each message has a turn of its own then, so that one alone fails. */
  #impossible(envelopes: readonly Envelope[], error: unknown): void {
    if (envelopes.length > 1) {
      this.#mailbox.putBack(envelopes, 'singly');
      return this.#proceed();
    }
    if (!(error instanceof Refusal)) {
      this.runtime.poisoned(this.id, this.#revision, envelopes[0]!.event!.type, error);
    }
    this.#fail(envelopes, error);
  }

  /** Somebody else's commit came first. */
  #again(envelopes: readonly Envelope[]): void {
    this.#lost += 1;
    if (this.#lost <= LOST_LIMIT) return this.#reload(envelopes);
    this.#lost = 0;
    this.#loaded = false;
    this.#fail(envelopes, overloaded(`${this.id} is being changed by many nodes at once`));
  }

  /** Decides the same events again on what is stored now. */
  #reload(envelopes: readonly Envelope[]): void {
    this.#loaded = false;
    this.#mailbox.putBack(envelopes);
    void this.#load();
  }

  #fail(envelopes: readonly Envelope[], error: unknown): void {
    this.#busy = false;
    this.runtime.outgoing.count(this, this.behavior.kind, this.#committed?.context);
    for (const envelope of envelopes) envelope.reject(error);
    // Later, since what waits may fail at once as well, a thousand times over.
    if (this.#mailbox.size > 0) setImmediate(() => this.#busy || this.#proceed());
  }

  #answer(turn: Turn): void {
    this.#busy = false;
    answer(turn, () => (this.#revision === 0 ? undefined : this.#view()));
    if (!this.#busy) this.#proceed();
    if (this.#promoted?.queue !== undefined) this.runtime.rests(this, true);
    else if (this.behavior.kind.evictAfter?.includes(this.#committed!.value)) this.runtime.rests(this, false);
  }

  #perform(before: readonly OutboxEntry[], woken: boolean): void {
    const { context } = this.#committed!;
    if (context.outbox.length === 0) return;
    this.#performing.start(context.outbox, before, woken, (entry, repeated) =>
      this.runtime.perform(this.behavior.kind, entry, context, this.address, repeated),
    );
  }

  #fresh(): boolean {
    return !this.runtime.store.shared || this.runtime.now() - this.#checkedAt < this.runtime.limits.freshMs;
  }

  #view(): ActorView<unknown> {
    const { value: state, context } = this.#committed!;
    return { revision: this.#revision, state, wakeAt: this.#promoted?.wakeAt, context };
  }
}
