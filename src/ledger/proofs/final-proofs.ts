import type { Actors } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import { type Gaps, nextGap } from './gaps.js';
import type { OwnTransactions } from './own-transactions.js';
import type { ProofKeeper, ProvenBlock } from './proof-keeper.js';

export interface FinalProofsOptions {
  readonly keeper: Pick<ProofKeeper, 'keep'>;
  readonly own: Pick<OwnTransactions, 'take'>;
  readonly gaps: Gaps;
  /** Called for a block that no proof can be made of. */
  readonly onUnproven: (block: ProvenBlock, why: string) => void;
}

/** Longest time for which a final block waits for a gap in the work of the process, ms. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Returns the function that makes the proofs of blocks as they become final (LEDGER_PROOFS=always), one block after the
 * other, in the gaps between requests: nobody waits for these proofs. It resolves with false if the node does not have the
 * block now. Throws `ChainUnavailable`, and what the store throws.
 */
export function finalProofs({ keeper, own, gaps, onUnproven }: FinalProofsOptions) {
  let last: Promise<unknown> = Promise.resolve();

  const prove = async (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    try {
      await keeper.keep(actors, block, { known: own.take(block.hash), isFinal: true });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not-implemented') return false;
      onUnproven(block, error.message);
      return true;
    }
  };

  return (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    const until = gaps.clock() + LONGEST_WAIT_MS;
    const proven = last.then(() => nextGap(gaps, until)).then(() => prove(actors, block));
    last = proven.catch(() => undefined);
    return proven;
  };
}
