import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { SignedTransaction } from '../../wallets/port.js';
import type { Nonces, Taken } from './account-machine.js';

/** An operation that waits for its signature. */
export interface Job {
  /** Signs it with this nonce, after so many were refused (`Nonces.refusals`). Throws `Refusal`. */
  sign(nonce: number, refusals: number): Promise<SignedTransaction>;
}

/** A signature, to be made durable. */
export interface Signature<J extends Job> {
  readonly job: J;
  readonly nonce: number;
  readonly transaction: SignedTransaction;
}

/** What a line asks of the account's actor. */
export interface Line<J extends Job> {
  /** Which nonces come next, as far as is known here. */
  nonces(): Promise<Nonces>;
  /** Makes signatures durable, in the order of their nonces. */
  commit(signatures: readonly Signature<J>[]): Promise<Taken>;
}

interface Waiting<J extends Job> {
  readonly job: J;
  readonly resolve: (hash: Hex) => void;
  readonly reject: (error: unknown) => void;
}

interface Place<J extends Job> extends Waiting<J> {
  nonce: number;
  /** The last attempt to sign; what an earlier one gives is thrown away. */
  attempt: number;
  transaction: SignedTransaction | undefined;
}

/** Signatures of one account that are made at the same time. */
const PARALLEL = 64;
/** Most operations that wait for one account. */
const MOST_WAITING = 4_000;

/**
 * The operations of one account on this node, on their way to a nonce. They are signed side by side, each for the nonce
 * that it will have if all goes well, and committed in the order of their nonces; who falls out gives its nonce to the
 * last one in the line, and whoever finds it taken by another node signs again. So a nonce is used by the commit
 * alone, and a wallet that fails burns none.
 */
export class NonceQueue<J extends Job> {
  readonly #waiting: Waiting<J>[] = [];
  /** In ascending order of their nonces. */
  #places: Place<J>[] = [];
  #nonces: Nonces | undefined;
  #asking = false;
  #committing = false;

  constructor(private readonly line: Line<J>) {}

  /** True where nobody is in the line. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#places.length === 0 && !this.#committing;
  }

  /** The hash of the job's transaction, once that is durable. Rejects with what signing throws, or the store. */
  add(job: J): Promise<Hex> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(
        new Refusal('unavailable', 'too many operations wait for this account; nothing was done'),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#admit();
    });
  }

  #admit(): void {
    if (this.#waiting.length === 0 || this.#places.length >= PARALLEL) return;
    if (this.#nonces === undefined) {
      void this.#ask();
      return;
    }
    for (const { job, resolve, reject } of this.#waiting.splice(0, PARALLEL - this.#places.length)) {
      const nonce = this.#take();
      const place: Place<J> = { job, resolve, reject, nonce, attempt: 0, transaction: undefined };
      this.#places.push(place);
      void this.#sign(place);
    }
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.#nonces = await this.line.nonces();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#asking = false;
    }
    this.#admit();
  }

  #take(): number {
    const { next, free, refusals } = this.#nonces!;
    const [lowest] = free;
    this.#nonces =
      lowest === undefined ? { next: next + 1, free, refusals } : { next, free: free.slice(1), refusals };
    return lowest ?? next;
  }

  async #sign(place: Place<J>): Promise<void> {
    const attempt = (place.attempt += 1);
    place.transaction = undefined;
    try {
      const transaction = await place.job.sign(place.nonce, this.#nonces!.refusals);
      if (place.attempt !== attempt) return;
      place.transaction = transaction;
    } catch (error) {
      if (place.attempt !== attempt) return;
      this.#leave(place);
      place.reject(error);
    }
    void this.#advance();
    this.#admit();
  }

  /** The last one in the line gets the nonce of the one who leaves. */
  #leave(place: Place<J>): void {
    const at = this.#places.indexOf(place);
    const last = this.#places.pop()!;
    const nonces = this.#nonces!;
    const { next, free } = nonces;
    this.#nonces =
      last.nonce === next - 1
        ? { ...nonces, next: next - 1 }
        : { ...nonces, free: [...free, last.nonce].toSorted((a, b) => a - b) };
    if (last === place) return;
    last.nonce = place.nonce;
    this.#places[at] = last;
    void this.#sign(last);
  }

  async #advance(): Promise<void> {
    if (this.#committing) return;
    const unsigned = this.#places.findIndex(({ transaction }) => transaction === undefined);
    const ready = this.#places.splice(0, unsigned === -1 ? this.#places.length : unsigned);
    if (ready.length === 0) return;
    this.#committing = true;
    try {
      const signatures = ready.map(({ job, nonce, transaction }) => ({
        job,
        nonce,
        transaction: transaction!,
      }));
      const taken = await this.line.commit(signatures);
      for (const { resolve, transaction } of ready.slice(0, taken.taken)) resolve(transaction!.hash);
      if (taken.taken < ready.length) this.#again(ready.slice(taken.taken), taken);
    } catch (error) {
      // What was signed may be durable or not; who comes later asks anew what the account's nonces are.
      for (const { reject } of ready) reject(error);
      this.#restart(this.#places.splice(0), undefined);
    } finally {
      this.#committing = false;
    }
    // Others may use the account while nobody here does.
    if (this.idle) this.#nonces = undefined;
    void this.#advance();
    this.#admit();
  }

  #again(rest: Place<J>[], { fenced, next, free, refusals }: Taken): void {
    if (fenced) {
      const [first] = rest.splice(0, 1);
      first!.reject(
        new Refusal(
          'unavailable',
          'another request with this Idempotency-Key has taken over; nothing was done',
        ),
      );
    }
    this.#restart([...rest, ...this.#places.splice(0)], { next, free, refusals });
  }

  /** Has places signed again: with the nonces given, or where these must be asked for, behind the others. */
  #restart(places: readonly Place<J>[], nonces: Nonces | undefined): void {
    this.#nonces = nonces;
    for (const place of places) place.attempt += 1;
    this.#waiting.unshift(...places);
  }
}
