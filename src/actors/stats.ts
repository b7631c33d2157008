import type { OverloadCause } from './overload.js';

/** Figures of the runtime for operators. */
export interface ActorStats {
  /** Actors in memory. */
  readonly resident: number;
  /** Characters of the documents of the actors in memory. */
  readonly characters: number;
  /** Events that wait in mailboxes. */
  readonly waiting: number;
  /** Events that wait in the fullest mailbox. */
  readonly longestMailbox: number;
  readonly commitsPending: number;
  readonly effectsRunning: number;
  /** Outgoing characters: see `OutgoingBudget`. */
  readonly outgoing: number;
  /** Refusals for overload since the start. */
  readonly refused: Readonly<Record<OverloadCause, number>>;
}

/** Counts the events that wait for actors. */
export function mailboxFigures(
  activations: Iterable<{ readonly mailbox: { readonly size: number } }>,
): Pick<ActorStats, 'waiting' | 'longestMailbox'> {
  let waiting = 0;
  let longestMailbox = 0;
  for (const { mailbox } of activations) {
    waiting += mailbox.size;
    longestMailbox = Math.max(longestMailbox, mailbox.size);
  }
  return { waiting, longestMailbox };
}
