import type { Cancellation } from '../../wallets/port.js';

/** The reason of all cancellations: an error for each would cost more than most signatures. */
const OF_NO_USE = new Error('the signature is of no use any more');

/** An attempt to sign. Its signal is made when it is asked for: most wallets need none. */
export class SigningAttempt implements Cancellation {
  /** True once its result is dropped. */
  over = false;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.over) this.#controller.abort(OF_NO_USE);
    return this.#controller.signal;
  }

  end(): void {
    this.over = true;
    this.#controller?.abort(OF_NO_USE);
  }
}
