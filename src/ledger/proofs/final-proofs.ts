import type { Actors } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import { type EventLoop, whileBusy } from './event-loop.js';
import type { OwnTransactions } from './own-transactions.js';
import type { ProofKeeper, ProvenBlock } from './proof-keeper.js';

export interface FinalProofsOptions {
  readonly keeper: Pick<ProofKeeper, 'keep'>;
  readonly own: Pick<OwnTransactions, 'take'>;
  readonly loop: EventLoop;
  /** Called for a block that no proof can be made of. */
  readonly onUnproven: (block: ProvenBlock, why: string) => void;
}

/** Longest time for which a final block waits while the event loop is busy, ms. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Returns the function that makes the proofs of blocks as they become final (LEDGER_PROOFS=always), one block after the
 * other. A proof waits while the event loop is busy, since no request waits for it. The function resolves with false if the
 * node does not have the block now. Throws `ChainUnavailable`, and what the store throws.
 */
export function finalProofs({ keeper, own, loop, onUnproven }: FinalProofsOptions) {
  let last: Promise<unknown> = Promise.resolve();

  const prove = async (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    try {
      await keeper.keep(actors, block, { own: own.take(block.hash), isFinal: true });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not-implemented') return false;
      onUnproven(block, error.message);
      return true;
    }
  };

  return (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    const end = loop.clock() + LONGEST_WAIT_MS;
    const proven = last.then(() => whileBusy(loop, end)).then(() => prove(actors, block));
    last = proven.catch(() => undefined);
    return proven;
  };
}
