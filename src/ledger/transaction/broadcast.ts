import { ChainUnavailable, type Hex } from '../../chain/port.js';
import type { PendingNonce } from '../account/pending-nonces.js';
import { type Tracing, traced } from '../../tracing/port.js';
import type { NonceGap, Outcome, SignedTransaction } from '../signed-transaction.js';
import {
  attempt,
  type AttemptResult,
  type BroadcastChain,
  type BroadcastManner,
  miningWait,
  pendingNonce,
  PendingTransaction,
  signAgain,
} from './pending-transaction.js';

export interface BroadcastOptions {
  readonly chain: BroadcastChain;
  /** Number of blocks that a transaction needs, its own included. */
  readonly confirmations: number;
  /** Called when the node refuses a transaction that another node may have. The transaction is sent again. */
  readonly onHeld: (hash: Hex, detail: string) => void;
  /** See `Reorganisations.onNonceGap`. */
  readonly onNonceGap: (account: Hex, gap: NonceGap) => void;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
  /** Ends all broadcasts, with its reason. */
  readonly stopped: AbortSignal;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Time without a block after which the lowest pending nonce is signed again, ms; undefined: never. */
  readonly replaceAfterMs?: number | undefined;
}

/** Sends signed transactions until they are in a block. */
export type Broadcast = ReturnType<typeof createBroadcast>;

/** Makes the broadcast of a node of the service. Each account has a queue of its own, in the order of its nonces. */
export function createBroadcast(options: BroadcastOptions) {
  const { stopped } = options;
  const accounts = new Map<Hex, AccountBroadcast>();
  const stop = (): void => {
    for (const account of accounts.values()) account.stop(stopped.reason as Error);
  };
  stopped.addEventListener('abort', stop, { once: true });

  const queueOf = (account: Hex): AccountBroadcast => {
    const known = accounts.get(account);
    if (known !== undefined) return known;
    const queue = new AccountBroadcast(options, account, () => accounts.delete(account));
    accounts.set(account, queue);
    return queue;
  };

  return {
    /** Begins to broadcast. Sending the same bytes again does no harm. */
    start(signed: SignedTransaction, manner: BroadcastManner): PendingTransaction {
      const pending = queueOf(signed.operation.account).add(signed, manner);
      if (stopped.aborted) stop();
      return pending;
    },
    /** Ends the broadcast of a transaction: its `outcome` rejects. */
    cancel: (pending: PendingTransaction) =>
      accounts
        .get(pending.signed.operation.account)
        ?.stop(new Error('the broadcast was cancelled'), [pending]),
    /** Sends every pending transaction again, since blocks have left the chain or the connection to the node was lost. */
    resend: () => accounts.forEach((account) => account.resend()),
    /** The pending nonces, per account in ascending order. */
    pendingNonces: () => [...accounts.values()].flatMap((account) => account.pendingNonces()),
  };
}

/** Pause before a transaction that the node did not take is sent again, ms; doubles each time. */
const FIRST_PAUSE_MS = 250;
/** Pause before a transaction that the node has taken is sent again, ms; doubles each time. */
const TAKEN_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * Number of walks (rounds over the pending transactions) after which the account's nonce on the chain is looked up,
 * while the node has not accepted the lowest transaction.
 */
const CHECK_AFTER = 3;
/**
 * Number of blocks without the lowest pending transaction after which it counts as stuck, unless the node refuses its
 * price.
 */
const STUCK_BLOCKS = 2;

/**
 * The pending transactions of one account on this node, in the order of their nonces. Each is sent as soon as it is
 * added. Later attempts follow after pauses of at most 60 s. They begin at the lowest nonce, since no later one can
 * be mined before it, and continue to the first nonce that the node does not accept.
 */
class AccountBroadcast {
  readonly #pending: PendingTransaction[] = [];
  #pause = FIRST_PAUSE_MS;
  #walkedAt = 0;
  #walks = 0;
  #walking = false;
  /** Number of times that everything had to be sent again. */
  #resends = 0;
  #timer: NodeJS.Timeout | undefined;
  /**
   * Number of the newest block at the time when the lowest pending transaction became the lowest; undefined if none
   * was known.
   */
  #headAtLowest: number | undefined;

  constructor(
    private readonly options: BroadcastOptions,
    private readonly account: Hex,
    private readonly onEmpty: () => void,
  ) {}

  add(signed: SignedTransaction, manner: BroadcastManner): PendingTransaction {
    const { chain, confirmations, now } = this.options;
    const pending = new PendingTransaction(signed, manner, now(), chain.head?.());
    if (!pending.maybeBroadcast) pending.wait = miningWait(chain, pending, confirmations, 'unsent');
    const at = this.#pending.findLastIndex((other) => other.signed.nonce <= signed.nonce) + 1;
    this.#pending.splice(at, 0, pending);
    if (at === 0) this.#lowestChanged();
    if (pending.wait !== undefined) this.#await(pending);
    if (!this.options.stopped.aborted) void this.#first(pending);
    return pending;
  }

  /** Ends the broadcast of one transaction, or of all: `outcome` rejects with the reason. */
  stop(reason: Error, some: readonly PendingTransaction[] = this.#pending.slice()): void {
    for (const pending of some) this.#end(pending, reason);
  }

  resend(): void {
    this.#resends += 1;
    for (const pending of this.#pending) pending.waitIsStale = true;
    this.#markNotTaken();
    this.#pause = TAKEN_PAUSE_MS;
    this.#walkNow();
  }

  pendingNonces(): readonly PendingNonce[] {
    return this.#pending.map(pendingNonce);
  }

  #lowestChanged(): void {
    this.#headAtLowest = this.options.chain.head?.();
    this.#walks = 0;
    this.#walkedAt = this.options.now();
    const [lowest] = this.#pending;
    this.#pause = lowest?.taken ? TAKEN_PAUSE_MS : FIRST_PAUSE_MS;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #first(pending: PendingTransaction): Promise<void> {
    if (pending.maybeBroadcast) await this.options.chain.checkContract();
    await this.#attempt(pending);
    if (pending === this.#pending[0]) this.#lowestChanged();
    this.#schedule();
  }

  async #attempt(pending: PendingTransaction): Promise<AttemptResult | undefined> {
    const { chain, stopped, onHeld, tracing } = this.options;
    if (pending.over || pending.attempting) return undefined;
    pending.attempting = true;
    const resends = this.#resends;
    try {
      const span = tracing?.start('eth_sendRawTransaction', 'client', pending.signed.operation.trace);
      const made = await traced(span, () => attempt(chain, pending, stopped, onHeld));
      if (pending.over) return undefined;
      // Since its answer, the node may have lost its newest blocks.
      if (resends !== this.#resends) pending.taken = false;
      pending.refusedForPrice = made.is === 'not-taken' && made.why === 'price';
      if (made.is === 'ended') {
        this.#end(pending, new Error('the chain refuses the transaction'), made.outcome);
      } else if (pending.wait === undefined || pending.waitIsStale) this.#waitAnew(pending);
      return made;
    } catch (error) {
      if (error instanceof ChainUnavailable) {
        // The connection was lost after sending, while the node was asked for the transaction.
        pending.maybeBroadcast = true;
        pending.refusedForPrice = false;
        return { is: 'not-taken', why: 'other' };
      }
      this.#end(pending, error as Error);
      return undefined;
    } finally {
      pending.attempting = false;
    }
  }

  #waitAnew(pending: PendingTransaction): void {
    const { chain, confirmations } = this.options;
    const before = pending.wait;
    pending.waitIsStale = false;
    pending.wait = miningWait(chain, pending, confirmations);
    before?.stop(new Error('it is waited for anew'));
    this.#await(pending);
  }

  #await(pending: PendingTransaction): void {
    const { wait } = pending;
    wait!.receipt.then(
      (receipt) => {
        if (pending.wait !== wait) return;
        const { signed } = pending;
        this.#end(pending, new Error('it is mined'), { is: 'mined', transaction: { signed, receipt } });
      },
      (error: unknown) => {
        if (pending.wait === wait) this.#end(pending, error as Error);
      },
    );
  }

  /** Ends a transaction with its outcome. Without one, its promise `outcome` rejects with the reason. */
  #end(pending: PendingTransaction, reason: Error, outcome?: Outcome): void {
    if (pending.over) return;
    pending.over = true;
    if (outcome === undefined) pending.reject(reason);
    else pending.resolve(outcome);
    pending.wait?.stop(reason);
    const at = this.#pending.indexOf(pending);
    this.#pending.splice(at, 1);
    if (this.#pending.length === 0) {
      clearTimeout(this.#timer);
      this.onEmpty();
      return;
    }
    if (at > 0) return;
    this.#lowestChanged();
    const [lowest] = this.#pending;
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
    if (this.#timer !== undefined || this.#pending.length === 0 || this.options.stopped.aborted) return;
    this.#timer = setTimeout(() => void this.#walk(), this.#dueIn()).unref();
  }

  #dueIn(): number {
    const now = this.options.now();
    // Later than now if the clock was set back.
    const retry = Math.min(this.#walkedAt, now) + this.#pause - now;
    const replacement =
      Math.min(this.#pending[0]!.signedAt, now) + (this.options.replaceAfterMs ?? Infinity) - now;
    return Math.max(0, replacement > 0 ? Math.min(retry, replacement) : retry);
  }

  /** Sends, from the lowest nonce on, the transactions that the node has not accepted or has forgotten. */
  async #walk(): Promise<void> {
    this.#timer = undefined;
    if (this.#walking || this.#pending.length === 0) return;
    this.#walking = true;
    const resends = this.#resends;
    const now = this.options.now();
    for (const pending of this.#pending) {
      pending.since = Math.min(pending.since, now);
      pending.signedAt = Math.min(pending.signedAt, now);
    }
    try {
      await this.options.chain.checkContract();
      await this.#sendInOrder();
      await this.#checkGap();
    } finally {
      this.#walking = false;
      this.#walkedAt = this.options.now();
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
      if (resends !== this.#resends) this.#walkNow();
      else this.#schedule();
    }
  }

  async #sendInOrder(): Promise<void> {
    const [lowest] = this.#pending;
    for (const pending of this.#pending.slice()) {
      if (pending.attempting || (pending !== lowest && pending.taken)) continue;
      if (this.#isStuck(pending)) await signAgain(pending, this.options.now);
      let made = await this.#attempt(pending);
      // A price that is still too low is raised until the node takes it, or no higher one is allowed.
      while (
        pending.refusedForPrice &&
        this.#isStuck(pending) &&
        (await signAgain(pending, this.options.now))
      ) {
        made = await this.#attempt(pending);
      }
      if (made?.is === 'not-taken') return;
      // A node that has forgotten one transaction has forgotten those after it.
      if (made?.is === 'taken' && made.forgotten) this.#markNotTaken(pending);
    }
  }

  /** Marks all transactions, except one, as not accepted by the node. */
  #markNotTaken(except?: PendingTransaction): void {
    for (const pending of this.#pending) if (pending !== except) pending.taken = false;
  }

  /** Returns true if the chain has made blocks without a transaction for longer than `replaceAfterMs`. */
  #isStuck(pending: PendingTransaction): boolean {
    const { chain, now, replaceAfterMs = Infinity } = this.options;
    const head = chain.head?.();
    if (pending.over || head === undefined || chain.contractMissing() !== undefined) return false;
    // The first block that is known may be newer than the transaction.
    pending.head ??= head;
    this.#headAtLowest ??= head;
    if (pending.refusedForPrice) return now() - pending.since >= replaceAfterMs && head > pending.head;
    const isLowest = pending === this.#pending[0];
    return (
      isLowest && now() - pending.signedAt >= replaceAfterMs && head >= this.#headAtLowest + STUCK_BLOCKS
    );
  }

  /** Reports that the chain lacks transactions below the lowest pending nonce, if it does. */
  async #checkGap(): Promise<void> {
    const [lowest] = this.#pending;
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
