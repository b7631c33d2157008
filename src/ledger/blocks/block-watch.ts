import type { Actors } from '../../actors/runtime.js';
import type { ChainReceipt, Hex } from '../../chain/port.js';
import { actorId, addressOf } from '../../store/port.js';
import { batcher } from '../../system/batcher.js';
import { blockAddress } from '../addresses.js';
import type { BlockEvent } from './block-machine.js';

/** Watches the blocks of recorded transactions until they are final. */
export interface BlockWatch {
  /**
   * Watches the block of a receipt for the transaction `hash`. Resolves when that is durable. `hash` is the hash of the
   * first signature; the receipt may name a replacement. `chain` is a chain's name.
   */
  watch(chain: string, receipt: ChainReceipt, hash: Hex): Promise<void>;
}

/** Makes the block watch of a node. Transactions of one block that come in one turn of the event loop share an event. */
export function createBlockWatch(actors: () => Actors, now: () => number): BlockWatch {
  const batch = batcher<Hex, void>({
    schedule: setImmediate,
    process(id, transactions) {
      const event: BlockEvent = { type: 'watch', now: now(), transactions };
      return actors().ask(addressOf(id), event);
    },
  });

  return {
    watch(chain, { blockNumber, blockHash }, hash) {
      const id = actorId(blockAddress(chain, Number(blockNumber), blockHash));
      return batch(id, hash).result;
    },
  };
}
