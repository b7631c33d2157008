import type { Envelope } from './turn.js';

/** The messages that wait for one actor, in order of arrival. */
export class Mailbox {
  #waiting: Envelope[] = [];
  /** How many of the first have a turn of their own each. */
  #alone = 0;

  get size(): number {
    return this.#waiting.length;
  }

  push(envelope: Envelope): void {
    this.#waiting.push(envelope);
  }

  /** Takes the messages of the next turn. */
  next(): Envelope[] {
    if (this.#alone === 0) return this.all();
    this.#alone -= 1;
    return this.#waiting.splice(0, 1);
  }

  /** Takes everything that waits. */
  all(): Envelope[] {
    const all = this.#waiting;
    this.#waiting = [];
    this.#alone = 0;
    return all;
  }

  /** Has the messages of a turn decided again before all others; `singly`: each in a turn of its own. */
  putBack(envelopes: readonly Envelope[], how?: 'singly'): void {
    if (how === 'singly') this.#alone = envelopes.length;
    this.#waiting = [...envelopes, ...this.#waiting];
  }
}
