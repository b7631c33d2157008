import { ChainUnavailable, type Hex } from '../../chain/port.js';
import type { PendingNonce } from '../account/pending-nonces.js';
import type { BroadcastManner, BroadcastOptions } from './broadcast.js';
import { attempt, type Attempt, type PendingTransaction } from './broadcast-attempt.js';
import { miningWait } from './mining-wait.js';
import { type Entry, pendingEntry, pendingNonce, signAgain } from './pending-entry.js';
import type { SignedTransaction } from '../signed-transaction.js';

/** Pause before a transaction that the node did not take is sent again, ms; doubles each time. */
const FIRST_PAUSE_MS = 250;
/** Pause before a transaction that the node has taken is sent again, ms; doubles each time. */
const TAKEN_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 60_000;
/** Walks after which the account's nonce on the chain is looked up, while the lowest transaction is not taken. */
const CHECK_AFTER = 3;
/** Blocks that must pass over the lowest pending nonce before it counts as stuck, unless the node refuses its price. */
const STUCK_BLOCKS = 2;

/**
 * The open transactions of one account on this node, in the order of their nonces. Each is sent as soon as it is added. Later
 * attempts are spaced, at most 60 s apart. They begin at the lowest nonce, since no later one can be mined before it, and
 * continue to the first nonce that the node does not take.
 */
export class AccountBroadcast {
  readonly #entries: Entry[] = [];
  #pause = FIRST_PAUSE_MS;
  #walkedAt = 0;
  #walks = 0;
  #walking = false;
  #resend = false;
  /** How often everything had to be sent again. */
  #doubts = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Number of the newest block when the lowest entry became the lowest; undefined if none was known. */
  #headAtLowest: number | undefined;

  constructor(
    private readonly options: BroadcastOptions,
    private readonly account: Hex,
    private readonly onEmpty: () => void,
  ) {}

  add(signed: SignedTransaction, manner: BroadcastManner): PendingTransaction {
    const { chain, confirmations, now } = this.options;
    const wait = manner.maybeBroadcast
      ? undefined
      : miningWait(chain, [signed.hash], confirmations, 'unsent');
    const entry = pendingEntry(signed, manner, { now: now(), head: chain.head?.(), wait });
    const at = this.#entries.findLastIndex((other) => other.signed.nonce <= signed.nonce) + 1;
    this.#entries.splice(at, 0, entry);
    if (at === 0) this.#lowestChanged();
    if (entry.wait !== undefined) this.#await(entry);
    if (!this.options.stopped.aborted) void this.#first(entry);
    return entry;
  }

  cancel(open: PendingTransaction, reason: Error): void {
    this.#end(open as Entry, () => (open as Entry).reject(reason), reason);
  }

  stop(reason: Error): void {
    for (const entry of this.#entries.slice()) this.#end(entry, () => entry.reject(reason), reason);
  }

  resend(): void {
    this.#resend = true;
    this.#doubts += 1;
    for (const entry of this.#entries) entry.waitIsStale = true;
    this.#forget();
    this.#pause = TAKEN_PAUSE_MS;
    this.#walkNow();
  }

  pendingNonces(): readonly PendingNonce[] {
    return this.#entries.map(pendingNonce);
  }

  #lowestChanged(): void {
    this.#headAtLowest = this.options.chain.head?.();
    this.#walks = 0;
    this.#walkedAt = this.options.now();
    const [lowest] = this.#entries;
    this.#pause = lowest?.taken ? TAKEN_PAUSE_MS : FIRST_PAUSE_MS;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #first(entry: Entry): Promise<void> {
    if (entry.maybeBroadcast) await this.options.chain.checkContract();
    await this.#attempt(entry);
    if (entry === this.#entries[0]) this.#lowestChanged();
    this.#schedule();
  }

  async #attempt(entry: Entry): Promise<Attempt | undefined> {
    const { chain, stopped, onHeld } = this.options;
    if (entry.over || entry.attempting) return undefined;
    entry.attempting = true;
    const doubts = this.#doubts;
    try {
      const made = await attempt(chain, entry, stopped, onHeld);
      if (entry.over) return undefined;
      // The answer may be of a node that has lost its newest blocks since.
      if (doubts !== this.#doubts) entry.taken = false;
      entry.refusedForPrice = made.is === 'not-taken' && made.why === 'price';
      if (made.is === 'ended') {
        this.#end(entry, () => entry.resolve(made.ending), new Error('the chain refuses the transaction'));
      } else if (entry.wait === undefined || entry.waitIsStale) this.#waitAnew(entry);
      return made;
    } catch (error) {
      if (error instanceof ChainUnavailable) {
        // The connection was lost after sending, while the node was asked for the transaction.
        entry.maybeBroadcast = true;
        entry.refusedForPrice = false;
        return { is: 'not-taken', why: 'other' };
      }
      this.#end(entry, () => entry.reject(error), error as Error);
      return undefined;
    } finally {
      entry.attempting = false;
    }
  }

  #waitAnew(entry: Entry): void {
    const { chain, confirmations } = this.options;
    const before = entry.wait;
    entry.waitIsStale = false;
    const hashes = entry.signatures.map(({ hash }) => hash);
    entry.wait = miningWait(chain, hashes, confirmations);
    before?.stop(new Error('it is waited for anew'));
    this.#await(entry);
  }

  #await(entry: Entry): void {
    const { wait } = entry;
    wait!.receipt.then(
      (receipt) => {
        if (entry.wait !== wait) return;
        this.#end(entry, () => entry.resolve({ is: 'mined', receipt }), new Error('it is mined'));
      },
      (error: unknown) => {
        if (entry.wait === wait) this.#end(entry, () => entry.reject(error), error as Error);
      },
    );
  }

  #end(entry: Entry, settle: () => void, reason: Error): void {
    if (entry.over) return;
    entry.over = true;
    settle();
    entry.wait?.stop(reason);
    const at = this.#entries.indexOf(entry);
    this.#entries.splice(at, 1);
    if (this.#entries.length === 0) {
      clearTimeout(this.#timer);
      this.onEmpty();
      return;
    }
    if (at > 0) return;
    this.#lowestChanged();
    const [lowest] = this.#entries;
    if (lowest!.taken || lowest!.attempting) this.#schedule();
    else this.#walkNow();
  }

  #walkNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#walkedAt = 0;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#entries.length === 0 || this.options.stopped.aborted) return;
    this.#timer = setTimeout(() => void this.#walk(), this.#dueIn()).unref();
  }

  #dueIn(): number {
    const now = this.options.now();
    // Later than now if the clock was set back.
    const retry = Math.min(this.#walkedAt, now) + this.#pause - now;
    const bump = Math.min(this.#entries[0]!.signedAt, now) + (this.options.replaceAfterMs ?? Infinity) - now;
    return Math.max(0, bump > 0 ? Math.min(retry, bump) : retry);
  }

  /** Sends, from the lowest nonce on, the transactions that the node has not taken or has forgotten. */
  async #walk(): Promise<void> {
    this.#timer = undefined;
    if (this.#walking || this.#entries.length === 0) return;
    this.#walking = true;
    this.#resend = false;
    const now = this.options.now();
    for (const entry of this.#entries) {
      entry.since = Math.min(entry.since, now);
      entry.signedAt = Math.min(entry.signedAt, now);
    }
    try {
      await this.options.chain.checkContract();
      await this.#sendInOrder();
      await this.#checkGap();
    } finally {
      this.#walking = false;
      this.#walkedAt = this.options.now();
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
      if (this.#resend) this.#walkNow();
      else this.#schedule();
    }
  }

  async #sendInOrder(): Promise<void> {
    const [lowest] = this.#entries;
    for (const entry of this.#entries.slice()) {
      if (entry.attempting || (entry !== lowest && entry.taken)) continue;
      if (this.#isStuck(entry)) await signAgain(entry, this.options.now);
      let made = await this.#attempt(entry);
      // A price that is still too low is raised until the node takes it, or no higher one is allowed.
      while (entry.refusedForPrice && this.#isStuck(entry) && (await signAgain(entry, this.options.now))) {
        made = await this.#attempt(entry);
      }
      if (made?.is === 'not-taken') return;
      // A node that has forgotten one transaction has forgotten those after it.
      if (made?.is === 'taken' && made.forgotten) this.#forget(entry);
    }
  }

  /** Marks what the node has taken as not taken any more, but for one transaction. */
  #forget(but?: Entry): void {
    for (const entry of this.#entries) if (entry !== but) entry.taken = false;
  }

  /** Returns true if blocks pass over a transaction for longer than `replaceAfterMs`. */
  #isStuck(entry: Entry): boolean {
    const { chain, now, replaceAfterMs = Infinity } = this.options;
    const head = chain.head?.();
    if (entry.over || head === undefined || chain.contractMissing() !== undefined) return false;
    // The first block that is known may be newer than the transaction.
    entry.head ??= head;
    this.#headAtLowest ??= head;
    if (entry.refusedForPrice) return now() - entry.since >= replaceAfterMs && head > entry.head;
    const isLowest = entry === this.#entries[0];
    return isLowest && now() - entry.signedAt >= replaceAfterMs && head >= this.#headAtLowest + STUCK_BLOCKS;
  }

  /** Reports that the chain lacks transactions below the lowest pending nonce, if it does. */
  async #checkGap(): Promise<void> {
    const [lowest] = this.#entries;
    if (lowest === undefined) return;
    this.#walks += 1;
    if (!lowest.taken && this.#walks % CHECK_AFTER !== 0) return;
    try {
      const used = await this.options.chain.nextNonce(this.account, 'latest');
      const { nonce } = lowest.signed;
      if (used < nonce) this.options.onNonceGap(this.account, { used, below: nonce, missing: nonce - used });
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
  }
}
