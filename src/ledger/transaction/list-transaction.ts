import type { Actors } from '../../actors/runtime.js';
import type { BlockWatch } from '../blocks/block-watch.js';
import type { Indexer } from '../index/indexer.js';
import type { MinedTransaction } from '../signed-transaction.js';

export interface ListOptions {
  readonly indexer: Pick<Indexer, 'index'>;
  readonly blockWatch: Pick<BlockWatch, 'watch'>;
  /** Puts the receipt of a transaction into a broker; resolves when that is durable. */
  readonly mirror: (transaction: MinedTransaction) => Promise<void>;
}

/**
 * Lists a transaction that is in a block: adds it to its entities (see `Indexer.index`), watches its block and mirrors
 * its receipt. `chain` is a chain's name. Safe to repeat.
 */
export type List = (
  actors: Actors,
  chain: string,
  transaction: MinedTransaction,
) => Promise<{ readonly indexed: Promise<unknown> }>;

/** Makes the listing of a node. */
export function createList({ indexer, blockWatch, mirror }: ListOptions): List {
  return async (actors, chain, transaction) => {
    const { signed, receipt } = transaction;
    const [indexed] = await Promise.all([
      indexer.index(actors, chain, transaction),
      blockWatch.watch(actors, chain, receipt, signed.hash),
      mirror(transaction),
    ]);
    return indexed;
  };
}
