import type { Filing } from '../index/indexing.js';
import type { Settlements } from './receipt-waiters.js';
import type { RecordedTransaction } from './transaction-machine.js';
import type { Watching } from '../blocks/block-watch.js';

export interface RecorderOptions {
  readonly filing: Pick<Filing, 'file'>;
  readonly settlements: Pick<Settlements, 'settle'>;
  readonly watching: Pick<Watching, 'watch'>;
  /** Has the receipt of a transaction mirrored to a broker; resolves when that is certain to happen. */
  readonly mirror: (transaction: RecordedTransaction) => Promise<void>;
}

/** What is done about a transaction that is in a block. */
export interface Recorder {
  /** Has its entities list it (see `Filing.file`), its block watched, and its receipt mirrored. `chain` is a chain's name. */
  list(chain: string, transaction: RecordedTransaction): Promise<{ readonly registered: Promise<unknown> }>;
  /** It is listed, and its actor has the receipt: whoever waits is told. */
  recorded(transaction: RecordedTransaction): void;
}

/** Makes the recorder of a node. */
export function createRecorder({ filing, settlements, watching, mirror }: RecorderOptions): Recorder {
  return {
    async list(chain, transaction) {
      const [filed] = await Promise.all([
        filing.file(chain, transaction),
        watching.watch(chain, transaction.receipt),
        mirror(transaction),
      ]);
      return filed;
    },
    recorded(transaction) {
      settlements.settle(transaction.signed.hash, { is: 'recorded', transaction });
    },
  };
}
