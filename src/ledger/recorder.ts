import type { Address } from '../store/port.js';
import type { Filing } from './filing.js';
import type { Finality } from './finality.js';
import type { Settlements } from './settlements.js';
import type { RecordedTransaction } from './transaction-machine.js';

export interface RecorderOptions {
  readonly filing: Pick<Filing, 'file'>;
  readonly settlements: Pick<Settlements, 'settle'>;
  readonly finality: Pick<Finality, 'recorded'>;
  /** Has the receipt of a transaction mirrored to a broker; resolves when that is certain to happen. */
  readonly mirror: (transaction: RecordedTransaction) => Promise<void>;
}

/** What is done about a transaction that is in a block. */
export interface Recorder {
  /** Has its entities list it (see `Filing.file`) and its receipt mirrored. `chain` is a chain's name. */
  list(chain: string, transaction: RecordedTransaction): Promise<{ readonly registered: Promise<unknown> }>;
  /** It is listed, and its actor has the receipt: whoever waits is told. */
  recorded(address: Address, transaction: RecordedTransaction): void;
}

/** Makes the recorder of a node. */
export function createRecorder({ filing, settlements, finality, mirror }: RecorderOptions): Recorder {
  return {
    async list(chain, transaction) {
      const [filed] = await Promise.all([filing.file(chain, transaction), mirror(transaction)]);
      return filed;
    },
    recorded(address, transaction) {
      const { signed, receipt } = transaction;
      finality.recorded(address, Number(receipt.blockNumber));
      settlements.settle(signed.hash, { is: 'recorded', transaction });
    },
  };
}
