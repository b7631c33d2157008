import { Refusal } from '../errors.js';
import { actorId } from '../store/port.js';
import type { Address, Outcome, Stored } from '../store/port.js';
import { overloaded } from './committer.js';
import type { ActorEvent, ActorView, OutboxEntry } from './kind.js';
import type { Mechanism, Snapshot } from './snapshot.js';
import type { Surroundings } from './surroundings.js';
import { answer, decide } from './turn.js';
import type { Envelope, Turn } from './turn.js';

/** How often a decision is made again after losing the race for its revision. */
const LOST_LIMIT = 25;

/**
 * One actor in memory: the only writer of its key on this node. Events are decided one at a time in order of
 * arrival; what was decided in one turn is committed together; nobody is answered, and no effect performed, before.
 */
export class Cell {
  readonly id: string;
  /** Set on every use, cleared by the cache's eviction round. */
  touched = true;
  #mailbox: Envelope[] = [];
  #busy = false;
  #loaded = false;
  #committed: Snapshot | undefined;
  #revision = 0;
  #wakeAt: number | undefined;
  #checkedAt = 0;
  #lost = 0;
  readonly #performing = new Set<string>();

  constructor(
    readonly address: Address,
    private readonly mechanism: Mechanism,
    private readonly around: Surroundings,
  ) {
    this.id = actorId(address);
  }

  /** True where the cell can be forgotten without loss. */
  get idle(): boolean {
    return !this.#busy && this.#mailbox.length === 0 && this.#performing.size === 0;
  }

  /** The actor as committed, where this node knows it freshly enough; undefined: ask with `send`. */
  peek(): ActorView<unknown> | undefined {
    return this.#loaded && this.#revision > 0 && this.#fresh() ? this.#view() : undefined;
  }

  /** Puts an event, or a look, into the mailbox. The promise follows the rules of `Actors.tell` and `Actors.read`. */
  send(event: ActorEvent | undefined): Promise<unknown> {
    if (this.#mailbox.length >= this.around.limits.mailbox) {
      return Promise.reject(overloaded(`too many requests wait for ${this.id}`));
    }
    return new Promise((resolve, reject) => {
      this.#mailbox.push({ event, resolve, reject });
      if (!this.#busy) this.#proceed();
    });
  }

  #proceed(): void {
    if (this.#mailbox.length === 0) return;
    this.#busy = true;
    if (!this.#loaded) {
      void this.#load();
      return;
    }
    const envelopes = this.#mailbox;
    this.#mailbox = [];
    this.#take(envelopes);
  }

  async #load(): Promise<void> {
    try {
      this.#accept(await this.around.store.load(this.id));
    } catch (error) {
      this.#fail(this.#mailbox.splice(0), error);
      return;
    }
    this.#busy = false;
    this.#proceed();
  }

  #accept(stored: Stored | undefined): void {
    this.#committed =
      stored === undefined ? this.mechanism.initial(this.address) : this.mechanism.restore(stored);
    this.#revision = stored?.revision ?? 0;
    this.#wakeAt = stored?.wakeAt;
    this.#loaded = true;
    this.#checkedAt = this.around.now();
  }

  #take(envelopes: readonly Envelope[]): void {
    const before = this.#committed!;
    const turn = decide(this.mechanism, before, envelopes, (type, error) =>
      this.around.poisoned(this.id, this.#revision, type, error),
    );
    const wakeAt = this.#nextWake(turn);
    // A wake-up that changes nothing must still move a past `wakeAt` on, or the sweep would find it for ever.
    if (this.mechanism.differs(before, turn.snapshot) || (turn.woken && wakeAt !== this.#wakeAt)) {
      this.#commit(turn, wakeAt);
    } else if (this.#fresh()) {
      if (turn.woken) this.#perform(before.context.outbox);
      this.#answer(turn);
    } else {
      this.#reload(envelopes);
    }
  }

  #commit(turn: Turn, wakeAt: number | undefined): void {
    if (this.around.committer.full) {
      this.#fail(turn.envelopes, overloaded('the store is behind'));
      return;
    }
    const before = this.#revision === 0 ? undefined : this.#committed!;
    const document = this.mechanism.document(turn.snapshot, before, wakeAt);
    if (document.hot.length + (document.cold?.length ?? 0) > this.around.limits.document) {
      this.#fail(
        turn.envelopes,
        new Refusal('too-large', `${this.id} would outgrow its limit; remove something first`),
      );
      return;
    }
    this.around.committer.stage(
      {
        id: this.id,
        expected: this.#revision,
        commitId: this.around.commitId(),
        next: this.#isGone(turn.snapshot) ? undefined : document,
        previous: before === undefined ? undefined : { state: before.value, wakeAt: this.#wakeAt },
      },
      (outcome, error) => this.#settled(outcome, error, turn, wakeAt),
    );
  }

  #settled(outcome: Outcome | undefined, error: unknown, turn: Turn, wakeAt: number | undefined): void {
    if (outcome === undefined) {
      this.#loaded = false;
      this.#fail(turn.envelopes, error);
      return;
    }
    if (outcome === 'lost') {
      this.#again(turn.envelopes);
      return;
    }
    const known = this.#committed!.context.outbox;
    const gone = this.#isGone(turn.snapshot);
    this.#committed = gone ? this.mechanism.initial(this.address) : turn.snapshot;
    this.#revision = gone ? 0 : this.#revision + 1;
    this.#wakeAt = gone ? undefined : wakeAt;
    this.#checkedAt = this.around.now();
    this.#lost = 0;
    const outbox = this.#committed.context.outbox;
    if (outbox.length > 0)
      this.#perform(turn.woken ? outbox : outbox.filter((entry) => !known.includes(entry)));
    this.#answer(turn);
  }

  /** Somebody else's commit came first. */
  #again(envelopes: readonly Envelope[]): void {
    this.#lost += 1;
    if (this.#lost <= LOST_LIMIT) {
      this.#reload(envelopes);
      return;
    }
    this.#lost = 0;
    this.#loaded = false;
    this.#fail(envelopes, overloaded(`${this.id} is being changed by many nodes at once`));
  }

  /** Decides the same events again on what is stored now. */
  #reload(envelopes: readonly Envelope[]): void {
    this.#loaded = false;
    this.#mailbox = [...envelopes, ...this.#mailbox];
    void this.#load();
  }

  #fail(envelopes: readonly Envelope[], error: unknown): void {
    this.#busy = false;
    for (const envelope of envelopes) envelope.reject(error);
    if (!this.#busy) this.#proceed();
  }

  #answer(turn: Turn): void {
    this.#busy = false;
    answer(turn, () => (this.#revision === 0 ? undefined : this.#view()));
    if (!this.#busy) this.#proceed();
  }

  #perform(entries: readonly OutboxEntry[]): void {
    const context = this.#committed!.context;
    for (const entry of entries) {
      if (this.#performing.has(entry.id)) continue;
      this.#performing.add(entry.id);
      void this.around.perform(this.mechanism.kind, entry, context, this.address).then((event) => {
        this.#performing.delete(entry.id);
        if (event !== undefined) this.around.report(this.address, event);
      });
    }
  }

  #nextWake({ snapshot, woken }: Turn): number | undefined {
    let own = snapshot.context.wakeAt;
    if (own === undefined && snapshot.context.outbox.length === 0) return undefined;
    const now = this.around.now();
    // A machine that was woken and did not move on, as one that throws on `wake`, must not hold up the sweep.
    if (woken && own !== undefined && own <= now) own = now + this.around.limits.postponeMs;
    if (snapshot.context.outbox.length === 0) return own;
    return Math.min(own ?? Infinity, now + this.around.limits.retryMs);
  }

  #isGone(snapshot: Snapshot): boolean {
    return snapshot.value === this.mechanism.kind.gone;
  }

  #fresh(): boolean {
    return !this.around.store.shared || this.around.now() - this.#checkedAt < this.around.limits.freshMs;
  }

  #view(): ActorView<unknown> {
    const { value, context } = this.#committed!;
    return { revision: this.#revision, state: value, wakeAt: this.#wakeAt, context };
  }
}
