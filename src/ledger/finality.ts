import type { Actors } from '../actors/runtime.js';
import type { Chain } from '../chain/port.js';
import { Refusal } from '../errors.js';
import type { Address } from '../store/port.js';
import type { TransactionEvent } from './transaction-machine.js';

export interface FinalityOptions {
  readonly actors: () => Actors;
  readonly chain: Pick<Chain, 'head'>;
  /** Blocks under which no reorganisation is expected to move a transaction any more. */
  readonly finality: number;
  /** How long a receipt has been there at least, ms: a node that was killed may come back without many a block. */
  readonly ageMs: number;
  readonly now: () => number;
}

/** Makes transactions final once they lie deep enough, those of this node that no reorganisation has touched. */
export interface Finality {
  /** A transaction was recorded in a block. */
  recorded(address: Address, block: number): void;
  /** Blocks from this one on have gone: their transactions are looked up one by one. */
  reorganised(from: number): void;
  /** How often blocks have gone since the start. */
  reorganisations(): number;
  /** Looks which are deep and old enough. What is forgotten meanwhile, by a stop for example, looks after itself. */
  look(): Promise<void>;
}

interface Recorded {
  readonly address: Address;
  readonly block: number;
  readonly at: number;
}

/** Most transactions that are remembered. */
const MOST = 200_000;
/** How many become final together. */
const TOGETHER = 50;

/** Where the actors take nothing more now, or the service stops: a transaction that is left looks after itself. */
function leave(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** Makes the finality of a node. */
export function createFinality({ actors, chain, finality, ageMs, now }: FinalityOptions): Finality {
  // Oldest first.
  let waiting: Recorded[] = [];
  let reorganisations = 0;

  const ripe = (): readonly Recorded[] => {
    const head = chain.head();
    if (head === undefined) return [];
    const until = now() - ageMs;
    const unripe = waiting.findIndex(({ at, block }) => at > until || head - block + 1 < finality);
    return waiting.splice(0, unripe === -1 ? waiting.length : unripe);
  };

  return {
    recorded(address, block) {
      if (waiting.length < MOST) waiting.push({ address, block, at: now() });
    },
    reorganised(from) {
      reorganisations += 1;
      waiting = waiting.filter(({ block }) => block < from);
    },
    reorganisations: () => reorganisations,
    async look() {
      const all = ripe();
      for (let first = 0; first < all.length; first += TOGETHER) {
        const event: TransactionEvent = { type: 'deep', now: now() };
        const some = all.slice(first, first + TOGETHER);
        await Promise.all(some.map(({ address }) => actors().tell(address, event).catch(leave)));
      }
    },
  };
}
