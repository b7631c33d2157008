import type { Actors } from '../actors/runtime.js';
import type { ChainReceipt, Hex } from '../chain/port.js';
import { actorId } from '../store/port.js';
import type { Address } from '../store/port.js';
import { blockAddress } from './addresses.js';
import type { BlockEvent } from './block-machine.js';

/** Has blocks watched in which transactions were recorded, until they are final. */
export interface Watching {
  /** Has the block of a receipt watched for its transaction; resolves once that is durable. `chain` is a chain's name. */
  watch(chain: string, receipt: ChainReceipt): Promise<void>;
  /** Blocks of the chain have gone. */
  reorganised(): void;
  /** How often blocks have gone since the start. */
  reorganisations(): number;
}

interface Gathered {
  readonly transactions: Hex[];
  readonly watched: Promise<void>;
}

/** Makes the watching of a node: those of one block that come in one turn of the event loop are told together. */
export function createWatching(actors: () => Actors, now: () => number): Watching {
  const gathered = new Map<string, Gathered>();
  let reorganisations = 0;

  const begin = (id: string, address: Address): Gathered => {
    const transactions: Hex[] = [];
    const watched = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        gathered.delete(id);
        const event: BlockEvent = { type: 'watch', now: now(), transactions };
        actors().tell<void>(address, event).then(resolve, reject);
      });
    });
    const begun = { transactions, watched };
    gathered.set(id, begun);
    return begun;
  };

  return {
    watch(chain, { blockNumber, blockHash, transactionHash }) {
      const address = blockAddress(chain, Number(blockNumber), blockHash);
      const id = actorId(address);
      const { transactions, watched } = gathered.get(id) ?? begin(id, address);
      transactions.push(transactionHash);
      return watched;
    },
    reorganised() {
      reorganisations += 1;
    },
    reorganisations: () => reorganisations,
  };
}
