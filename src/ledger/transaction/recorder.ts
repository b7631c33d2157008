import type { Indexing } from '../index/indexing.js';
import type { ReceiptWaiters } from './receipt-waiters.js';
import type { RecordedTransaction } from './transaction-machine.js';
import type { BlockWatch } from '../blocks/block-watch.js';

export interface RecorderOptions {
  readonly indexing: Pick<Indexing, 'file'>;
  readonly receiptWaiters: Pick<ReceiptWaiters, 'settle'>;
  readonly blockWatch: Pick<BlockWatch, 'watch'>;
  /** Has the receipt of a transaction mirrored to a broker; resolves when that is certain to happen. */
  readonly mirror: (transaction: RecordedTransaction) => Promise<void>;
}

/** What is done about a transaction that is in a block. */
export interface Recorder {
  /** Has its entities list it (see `Indexing.file`), its block watched, and its receipt mirrored. `chain` is a chain's name. */
  list(chain: string, transaction: RecordedTransaction): Promise<{ readonly registered: Promise<unknown> }>;
  /** It is listed, and its actor has the receipt: whoever waits is told. */
  recorded(transaction: RecordedTransaction): void;
}

/** Makes the recorder of a node. */
export function createRecorder({ indexing, receiptWaiters, blockWatch, mirror }: RecorderOptions): Recorder {
  return {
    async list(chain, transaction) {
      const [filed] = await Promise.all([
        indexing.file(chain, transaction),
        blockWatch.watch(chain, transaction.receipt),
        mirror(transaction),
      ]);
      return filed;
    },
    recorded(transaction) {
      receiptWaiters.settle(transaction.signed.hash, { is: 'recorded', transaction });
    },
  };
}
