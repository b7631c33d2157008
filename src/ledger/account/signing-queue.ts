import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Cancellation, SigningResult } from '../../wallets/port.js';
import type { Nonces, Accepted } from './account-machine.js';
import type { SigningAccount, SigningRequest } from './signing-account.js';

/** A request without a nonce. */
interface WaitingRequest {
  readonly request: SigningRequest;
  readonly resolve: (hash: Hex) => void;
  readonly reject: (error: unknown) => void;
}

/** A request with a nonce. */
interface SigningEntry extends WaitingRequest {
  nonce: number;
  /**
   * The attempt to sign. It ends when another attempt begins, or when the request loses its nonce. Its result is then
   * dropped.
   */
  attempt: SigningAttempt;
  result: SigningResult | undefined;
}

/** Time after its deadline for which a request with a nonce stays in the queue, ms. */
export const SIGNING_GRACE_MS = 2_000;
/** Maximum number of signatures of one account that are made at the same time. */
const PARALLEL = 64;
/** Maximum number of requests of one account that wait for a nonce. */
const MAX_WAITING = 4_000;

const TOO_MANY = 'too many operations wait for this account; nothing was done';
const TAKEN_OVER = 'another request with this Idempotency-Key has taken over; nothing was done';
const NOT_SIGNED = 'the operation was not signed in the time that LEDGER_WAIT_S allows; nothing was done';

/** The reason of all cancellations. One error for each of them would cost more than most signatures. */
const NOT_NEEDED = new Error('the signature is not needed any more');

/** An attempt to sign. Its signal is made at the first use, because most wallets need none. */
class SigningAttempt implements Cancellation {
  /** True once its result is dropped. */
  over = false;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.over) this.#controller.abort(NOT_NEEDED);
    return this.#controller.signal;
  }

  end(): void {
    this.over = true;
    this.#controller?.abort(NOT_NEEDED);
  }
}

/**
 * The operations of one account on this node that wait for a nonce. They are signed concurrently, each for an
 * expected nonce, and committed in the order of these nonces. If a request leaves the queue, the request with the
 * highest nonce gets its nonce, and is signed again. If another node has used a nonce, the request for this nonce is
 * signed again too. Only a commit uses a nonce, so a wallet that fails leaves no gap. A request that is not committed
 * in time leaves: at its deadline if it has no nonce, `SIGNING_GRACE_MS` later if it has one. A request whose commit
 * is in progress stays until the commit ends.
 */
export class SigningQueue {
  #waiting: WaitingRequest[] = [];
  /** In ascending order of their nonces. */
  #signing: SigningEntry[] = [];
  #nonces: Nonces | undefined;
  #reading = false;
  #committing = false;
  /** One timer for all requests, set for the time at which the first one leaves. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  /** `now`: ms since the epoch. */
  constructor(
    private readonly account: SigningAccount,
    private readonly now: () => number,
  ) {}

  /** True while the queue has no request. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#signing.length === 0 && !this.#committing;
  }

  /**
   * Resolves with the hash of the request's transaction once that is durable. Rejects with `Refusal('unavailable')`
   * if the request has no more time, or the queue no room. Also rejects with the errors of signing and of the store.
   */
  add(request: SigningRequest): Promise<Hex> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new Refusal('unavailable', TOO_MANY));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#admit();
      if (request.deadline < this.#timerAt) this.#setTimer(request.deadline);
    });
  }

  #admit(): void {
    if (this.#waiting.length === 0 || this.#signing.length >= PARALLEL) return;
    if (this.#nonces === undefined) {
      void this.#readNonces();
      return;
    }
    const now = this.now();
    while (this.#signing.length < PARALLEL && this.#waiting.length > 0) {
      const entry = this.#waiting.shift()!;
      if (entry.request.deadline <= now) entry.reject(new Refusal('unavailable', NOT_SIGNED));
      else this.#open(entry);
    }
  }

  #open({ request, resolve, reject }: WaitingRequest): void {
    // A spread gives each object a hidden class of its own.
    const entry: SigningEntry = {
      request,
      resolve,
      reject,
      nonce: this.#takeNonce(),
      attempt: new SigningAttempt(),
      result: undefined,
    };
    this.#signing.push(entry);
    void this.#sign(entry);
  }

  async #readNonces(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const nonces = await this.account.nonces();
      // Other nodes may use the account while no request waits here.
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

  async #sign(entry: SigningEntry): Promise<void> {
    entry.attempt.end();
    const attempt = (entry.attempt = new SigningAttempt());
    entry.result = undefined;
    try {
      const { request, nonce } = entry;
      const result = await this.account.sign(request, nonce, this.#nonces!.refusals, attempt);
      if (attempt.over) return;
      entry.result = result;
    } catch (error) {
      if (attempt.over) return;
      this.#remove(new Set([entry]));
      entry.reject(error);
    }
    void this.#advance();
    this.#admit();
  }

  /**
   * Removes entries. The remaining entries with the highest nonces get the lower nonces that become free, and are
   * signed again.
   */
  #remove(leaving: ReadonlySet<SigningEntry>): void {
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
    const unsigned = this.#signing.findIndex(({ result }) => result === undefined);
    const ready = this.#signing.splice(0, unsigned === -1 ? this.#signing.length : unsigned);
    if (ready.length === 0) return;
    this.#committing = true;
    try {
      const signed = ready.map(({ request, nonce, result }) => ({ request, nonce, result: result! }));
      const reply = await this.account.commit(signed);
      for (const { resolve, result } of ready.slice(0, reply.accepted)) resolve(result!.hash);
      if (reply.accepted < ready.length) this.#requeue(ready.slice(reply.accepted), reply);
    } catch (error) {
      // The signatures may be durable or not. The nonces of the account are read again for the other requests.
      for (const { reject } of ready) reject(error);
      this.#restart(this.#signing.splice(0), undefined);
    } finally {
      this.#committing = false;
    }
    // Other nodes may use the account while no request waits here.
    if (this.idle) this.#nonces = undefined;
    void this.#advance();
    this.#admit();
  }

  #requeue(rest: SigningEntry[], { fenced, next, free, refusals }: Accepted): void {
    if (fenced) rest.shift()!.reject(new Refusal('unavailable', TAKEN_OVER));
    this.#restart([...rest, ...this.#signing.splice(0)], { next, free, refusals });
  }

  /**
   * Puts the requests of entries before the waiting requests, without nonces. `nonces`: those of the account;
   * undefined: they must be read first.
   */
  #restart(entries: readonly SigningEntry[], nonces: Nonces | undefined): void {
    this.#nonces = nonces;
    for (const entry of entries) entry.attempt.end();
    this.#waiting.unshift(...entries);
    this.#expire();
  }

  /** Rejects the requests whose time is over, and sets the timer for the next one. */
  #expire(): void {
    const now = this.now();
    const late = this.#waiting.filter(({ request }) => request.deadline <= now);
    if (late.length > 0) this.#waiting = this.#waiting.filter(({ request }) => request.deadline > now);
    const leaving = new Set(
      this.#signing.filter(({ request }) => request.deadline + SIGNING_GRACE_MS <= now),
    );
    if (leaving.size > 0) this.#remove(leaving);
    for (const { reject } of [...late, ...leaving]) reject(new Refusal('unavailable', NOT_SIGNED));
    const ends = this.#signing.map(({ request }) => request.deadline + SIGNING_GRACE_MS);
    this.#setTimer(Math.min(...ends, ...this.#waiting.map(({ request }) => request.deadline)));
  }

  #setTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    const ms = Math.max(1, at - this.now());
    this.#timer = setTimeout(() => {
      this.#expire();
      void this.#advance();
      this.#admit();
    }, ms).unref();
  }
}
