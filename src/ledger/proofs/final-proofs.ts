import type { Actors } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import type { ProofKeeper, ProvenBlock } from './proof-keeper.js';

export interface FinalProofsOptions {
  readonly keeper: Pick<ProofKeeper, 'keep'>;
  /** Called for a block that no proof can be made of. */
  readonly onUnproven: (block: ProvenBlock, why: string) => void;
}

/**
 * Returns the function that makes the proofs of blocks as they become final (LEDGER_PROOFS=always), one block after the
 * other: who asks for a proof does not wait for all of them. It resolves with false if the node does not have the block now.
 * Throws `ChainUnavailable`, and what the store throws.
 */
export function finalProofs({ keeper, onUnproven }: FinalProofsOptions) {
  let last: Promise<unknown> = Promise.resolve();

  const prove = async (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    try {
      await keeper.keep(actors, block);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not-implemented') return false;
      onUnproven(block, error.message);
      return true;
    }
  };

  return (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    const proven = last.then(() => prove(actors, block));
    last = proven.catch(() => undefined);
    return proven;
  };
}
