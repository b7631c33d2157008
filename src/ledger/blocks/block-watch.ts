import type { Actors } from '../../actors/kind.js';
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
  watch(actors: Actors, chain: string, receipt: ChainReceipt, hash: Hex): Promise<void>;
}

/** A transaction whose block is to be watched. */
interface Watched {
  readonly actors: Actors;
  readonly hash: Hex;
}

/** Makes the block watch of a node. Transactions of one block that come in one turn of the event loop share an event. */
export function createBlockWatch(now: () => number): BlockWatch {
  const batch = batcher<Watched, void>({
    schedule: setImmediate,
    process(id, watched) {
      const transactions = watched.map(({ hash }) => hash);
      const event: BlockEvent = { type: 'watch', now: now(), transactions };
      return watched[0]!.actors.ask(addressOf(id), event);
    },
  });

  return {
    watch(actors, chain, { blockNumber, blockHash }, hash) {
      const id = actorId(blockAddress(chain, Number(blockNumber), blockHash));
      return batch(id, { actors, hash }).result;
    },
  };
}
