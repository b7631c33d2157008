import type { Actors } from '../../actors/runtime.js';
import type { Indexer } from '../index/indexer.js';
import type { ReceiptWaiters } from './receipt-waiters.js';
import type { RecordedTransaction } from './transaction-machine.js';
import type { BlockWatch } from '../blocks/block-watch.js';

export interface RecorderOptions {
  readonly indexer: Pick<Indexer, 'index'>;
  readonly receiptWaiters: Pick<ReceiptWaiters, 'settle'>;
  readonly blockWatch: Pick<BlockWatch, 'watch'>;
  /** Has the receipt of a transaction mirrored to a broker; resolves when that is certain to happen. */
  readonly mirror: (transaction: RecordedTransaction) => Promise<void>;
}

/** What is done about a transaction that is in a block. */
export interface Recorder {
  /** Has its entities list it (see `Indexer.index`), its block watched, and its receipt mirrored. `chain` is a chain's name. */
  list(
    actors: Actors,
    chain: string,
    transaction: RecordedTransaction,
  ): Promise<{ readonly registered: Promise<unknown> }>;
  /** It is listed, and its actor has the receipt: whoever waits is told. */
  recorded(transaction: RecordedTransaction): void;
}

/** Makes the recorder of a node. */
export function createRecorder({ indexer, receiptWaiters, blockWatch, mirror }: RecorderOptions): Recorder {
  return {
    async list(actors, chain, transaction) {
      const [indexed] = await Promise.all([
        indexer.index(actors, chain, transaction),
        blockWatch.watch(chain, transaction.receipt),
        mirror(transaction),
      ]);
      return indexed;
    },
    recorded(transaction) {
      receiptWaiters.settle(transaction.signed.hash, { is: 'recorded', transaction });
    },
  };
}
