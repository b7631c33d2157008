import type { Actors } from '../../actors/runtime.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import { actorId, addressOf } from '../../store/port.js';
import { blockAddress } from '../addresses.js';
import type { BlockEvent } from './block-machine.js';
import { batcher } from '../../system/batcher.js';

/** Has blocks watched in which transactions were recorded, until they are final. */
export interface BlockWatch {
  /** Has the block of a receipt watched for its transaction; resolves once that is durable. `chain` is a chain's name. */
  watch(chain: string, receipt: ChainReceipt): Promise<void>;
  /** Blocks of the chain have gone. */
  reorganised(): void;
  /** How often blocks have gone since the start. */
  reorganisations(): number;
}

/** Makes the watching of a node: those of one block that come in one turn of the event loop are told together. */
export function createBlockWatch(actors: () => Actors, now: () => number): BlockWatch {
  const batch = batcher<Hex, void>({
    schedule: setImmediate,
    process(id, transactions) {
      const event: BlockEvent = { type: 'watch', now: now(), transactions };
      return actors().ask(addressOf(id), event);
    },
  });
  let reorganisations = 0;

  return {
    watch(chain, { blockNumber, blockHash, transactionHash }) {
      const id = actorId(blockAddress(chain, Number(blockNumber), blockHash));
      return batch(id, transactionHash).result;
    },
    reorganised() {
      reorganisations += 1;
    },
    reorganisations: () => reorganisations,
  };
}
