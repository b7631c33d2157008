import type { Refusal } from '../errors.js';
import { overloaded } from './committer.js';

/**
 * Why the runtime refuses work: `mailbox`: too many events wait for one actor; `commits`: too many commits of one kind wait
 * for the store; `outgoing`: too many outgoing characters of one tenant; `contention`: other nodes change the actor again
 * and again.
 */
export type OverloadCause = 'mailbox' | 'commits' | 'outgoing' | 'contention';

/** Makes the refusals of work for which there is no room, and counts them. */
export class Overload {
  readonly #counts = { mailbox: 0, commits: 0, outgoing: 0, contention: 0 };

  /** Returns a refusal (`unavailable`); `what` says what is full. */
  refuse(cause: OverloadCause, what: string): Refusal {
    this.#counts[cause] += 1;
    return overloaded(what);
  }

  /** Refusals since the start, by cause. */
  get counts(): Readonly<Record<OverloadCause, number>> {
    return { ...this.#counts };
  }
}
