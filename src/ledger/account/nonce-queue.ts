import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Cancellation, SigningResult } from '../../wallets/port.js';
import { SigningAttempt } from './signing-attempt.js';
import type { Nonces, Accepted } from './account-machine.js';

/** An operation that is to be signed. */
export interface Job {
  /** Time by which the job must have a nonce, ms since the epoch; else it leaves the queue. */
  readonly deadline: number;
  /**
   * Signs it with this nonce, after so many refusals (`Nonces.refusals`). Throws `Refusal`. `cancellation` is aborted when
   * the signature is of no use any more.
   */
  sign(nonce: number, refusals: number, cancellation: Cancellation): Promise<SigningResult>;
}

/** A signature that is to be made durable. */
export interface Signature<J extends Job> {
  readonly job: J;
  readonly nonce: number;
  readonly transaction: SigningResult;
}

export interface NonceQueueOptions<J extends Job> {
  /** Reads which nonces come next. Throws what the store and the chain throw. */
  readonly nonces: () => Promise<Nonces>;
  /** Makes signatures durable, in the order of their nonces. */
  readonly commit: (signatures: readonly Signature<J>[]) => Promise<Accepted>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A job without a nonce. */
interface WaitingEntry<J extends Job> {
  readonly job: J;
  readonly resolve: (hash: Hex) => void;
  readonly reject: (error: unknown) => void;
}

/** A job with a nonce. */
interface SigningEntry<J extends Job> extends WaitingEntry<J> {
  nonce: number;
  /** Ended when another attempt to sign begins, or the entry loses its nonce: the result of this one is dropped then. */
  attempt: SigningAttempt;
  transaction: SigningResult | undefined;
}

/** How much longer than its deadline a job that has a nonce stays in the queue, ms. */
export const SIGNING_GRACE_MS = 2_000;
/** Signatures of one account that are made at the same time. */
const PARALLEL = 64;
/** Most jobs of one account that wait for a nonce. */
const MOST_WAITING = 4_000;

const TOO_MANY = 'too many operations wait for this account; nothing was done';
const TAKEN_OVER = 'another request with this Idempotency-Key has taken over; nothing was done';
const NOT_SIGNED = 'the operation was not signed in the time that LEDGER_WAIT_S allows; nothing was done';

/**
 * The operations of one account on this node that wait for a nonce. They are signed side by side, each for the nonce that
 * it gets if all goes well, and committed in the order of their nonces. A job that leaves gives its nonce to the last
 * job; a job whose nonce another node has used is signed again. So only a commit uses a nonce, and a wallet that fails
 * leaves no gap. A job that is not committed in time leaves: without a nonce at its deadline, with one
 * `SIGNING_GRACE_MS` later. A job that is being committed stays until the commit ends.
 */
export class NonceQueue<J extends Job> {
  readonly #options: NonceQueueOptions<J>;
  #waiting: WaitingEntry<J>[] = [];
  /** In ascending order of their nonces. */
  #signing: SigningEntry<J>[] = [];
  #nonces: Nonces | undefined;
  #reading = false;
  #committing = false;
  /** One timer for all jobs, set for the time at which the first one leaves. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(options: NonceQueueOptions<J>) {
    this.#options = options;
  }

  /** True while the queue has no job. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#signing.length === 0 && !this.#committing;
  }

  /**
   * Resolves with the hash of the job's transaction once that is durable. Rejects with `Refusal('unavailable')` where the
   * job leaves for lack of time or room, and with the errors of signing and of the store.
   */
  add(job: J): Promise<Hex> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(new Refusal('unavailable', TOO_MANY));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#admit();
      if (job.deadline < this.#timerAt) this.#setTimer(job.deadline);
    });
  }

  #admit(): void {
    if (this.#waiting.length === 0 || this.#signing.length >= PARALLEL) return;
    if (this.#nonces === undefined) {
      void this.#readNonces();
      return;
    }
    const now = this.#options.now();
    while (this.#signing.length < PARALLEL && this.#waiting.length > 0) {
      const entry = this.#waiting.shift()!;
      if (entry.job.deadline <= now) entry.reject(new Refusal('unavailable', NOT_SIGNED));
      else this.#open(entry);
    }
  }

  #open({ job, resolve, reject }: WaitingEntry<J>): void {
    // A spread gives each object a hidden class of its own.
    const entry: SigningEntry<J> = {
      job,
      resolve,
      reject,
      nonce: this.#takeNonce(),
      attempt: new SigningAttempt(),
      transaction: undefined,
    };
    this.#signing.push(entry);
    void this.#sign(entry);
  }

  async #readNonces(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const nonces = await this.#options.nonces();
      // Other nodes may use the account while no job waits here.
      if (!this.idle) this.#nonces = nonces;
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#reading = false;
    }
    this.#admit();
  }

  #takeNonce(): number {
    const { next, free, refusals } = this.#nonces!;
    const [lowest] = free;
    this.#nonces =
      lowest === undefined ? { next: next + 1, free, refusals } : { next, free: free.slice(1), refusals };
    return lowest ?? next;
  }

  #giveBackNonce(nonce: number): void {
    const { next, free, refusals } = this.#nonces!;
    if (nonce === next - 1) this.#nonces = { next: nonce, free, refusals };
    else this.#nonces = { next, free: [...free, nonce].toSorted((a, b) => a - b), refusals };
  }

  async #sign(entry: SigningEntry<J>): Promise<void> {
    entry.attempt.end();
    const attempt = (entry.attempt = new SigningAttempt());
    entry.transaction = undefined;
    try {
      const transaction = await entry.job.sign(entry.nonce, this.#nonces!.refusals, attempt);
      if (attempt.over) return;
      entry.transaction = transaction;
    } catch (error) {
      if (attempt.over) return;
      this.#remove(new Set([entry]));
      entry.reject(error);
    }
    void this.#advance();
    this.#admit();
  }

  /** Takes entries out. The last of the others are signed again for the nonces that this leaves open below theirs. */
  #remove(leaving: ReadonlySet<SigningEntry<J>>): void {
    const staying = this.#signing.filter((entry) => !leaving.has(entry));
    const nonces = this.#signing.map(({ nonce }) => nonce);
    for (const nonce of nonces.splice(staying.length).toReversed()) this.#giveBackNonce(nonce);
    const open = new Set(nonces);
    const moving = staying.filter(({ nonce }) => !open.delete(nonce));
    for (const entry of leaving) entry.attempt.end();
    for (const [i, nonce] of [...open].entries()) moving[i]!.nonce = nonce;
    this.#signing = staying.toSorted((a, b) => a.nonce - b.nonce);
    for (const entry of moving) void this.#sign(entry);
  }

  async #advance(): Promise<void> {
    if (this.#committing) return;
    const unsigned = this.#signing.findIndex(({ transaction }) => transaction === undefined);
    const ready = this.#signing.splice(0, unsigned === -1 ? this.#signing.length : unsigned);
    if (ready.length === 0) return;
    this.#committing = true;
    try {
      const signed = ready.map(({ job, nonce, transaction }) => ({ job, nonce, transaction: transaction! }));
      const reply = await this.#options.commit(signed);
      for (const { resolve, transaction } of ready.slice(0, reply.accepted)) resolve(transaction!.hash);
      if (reply.accepted < ready.length) this.#requeue(ready.slice(reply.accepted), reply);
    } catch (error) {
      // The signatures may be durable or not. The nonces of the account are read again for the other jobs.
      for (const { reject } of ready) reject(error);
      this.#restart(this.#signing.splice(0), undefined);
    } finally {
      this.#committing = false;
    }
    // Other nodes may use the account while no job waits here.
    if (this.idle) this.#nonces = undefined;
    void this.#advance();
    this.#admit();
  }

  #requeue(rest: SigningEntry<J>[], { fenced, next, free, refusals }: Accepted): void {
    if (fenced) rest.shift()!.reject(new Refusal('unavailable', TAKEN_OVER));
    this.#restart([...rest, ...this.#signing.splice(0)], { next, free, refusals });
  }

  /** Takes the nonces of entries away and puts their jobs before the waiting ones. undefined: nonces must be read first. */
  #restart(entries: readonly SigningEntry<J>[], nonces: Nonces | undefined): void {
    this.#nonces = nonces;
    for (const entry of entries) entry.attempt.end();
    this.#waiting.unshift(...entries);
    this.#expire();
  }

  /** Rejects the jobs whose time is over, and sets the timer for the next one. */
  #expire(): void {
    const now = this.#options.now();
    const late = this.#waiting.filter(({ job }) => job.deadline <= now);
    if (late.length > 0) this.#waiting = this.#waiting.filter(({ job }) => job.deadline > now);
    const leaving = new Set(this.#signing.filter(({ job }) => job.deadline + SIGNING_GRACE_MS <= now));
    if (leaving.size > 0) this.#remove(leaving);
    for (const { reject } of [...late, ...leaving]) reject(new Refusal('unavailable', NOT_SIGNED));
    const ends = this.#signing.map(({ job }) => job.deadline + SIGNING_GRACE_MS);
    this.#setTimer(Math.min(...ends, ...this.#waiting.map(({ job }) => job.deadline)));
  }

  #setTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    const ms = Math.max(1, at - this.#options.now());
    this.#timer = setTimeout(() => {
      this.#expire();
      void this.#advance();
      this.#admit();
    }, ms).unref();
  }
}
