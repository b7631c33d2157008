import type { Actors } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import { inBatches } from '../../system/in-batches.js';
import { type EventLoop, whileBusy } from './event-loop.js';
import type { OwnTransactions } from './own-transactions.js';
import type { ProofKeeper, ProvenBlock } from './proof-keeper.js';

export interface FinalProofsOptions {
  readonly keeper: Pick<ProofKeeper, 'keep'>;
  readonly own: Pick<OwnTransactions, 'take' | 'sizeOf' | 'isSoonForgotten'>;
  readonly loop: EventLoop;
  /** Called for a block that no proof can be made of. */
  readonly onUnproven: (block: ProvenBlock, why: string) => void;
}

/** Longest time for which a final block waits while the event loop is busy, ms. */
const LONGEST_WAIT_MS = 30_000;
/** Maximum number of transactions whose blocks are proven together. Each block counts as `OF_BLOCK` more. */
const TOGETHER = 1_024;
const OF_BLOCK = 64;

interface Waiting {
  /** Time of the event loop's clock. */
  readonly end: number;
  readonly block: ProvenBlock;
  readonly prove: () => Promise<void>;
  readonly reject: (reason: unknown) => void;
}

/**
 * Returns the function that makes the proofs of blocks as they become final (LEDGER_PROOFS=always). Blocks wait while the event loop
 * is busy, since no request waits for their proofs. Waiting blocks are proven together: they share a request to the node, an order to
 * the thread and a commit. A block that has transactions of others too is proven alone, since the node's answer is large. The function
 * resolves with false if the node does not have the block now. Throws `ChainUnavailable`, and what the store throws.
 */
export function finalProofs({ keeper, own, loop, onUnproven }: FinalProofsOptions) {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  const prove = async (actors: Actors, block: ProvenBlock): Promise<boolean> => {
    try {
      await keeper.keep(actors, block, { own: own.take(block.hash), isFinal: true });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not-implemented') return false;
      onUnproven(block, error.message);
      return true;
    }
  };

  const proveAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      const isUrgent = (): boolean =>
        [...all, ...waiting].some(({ block }) => own.isSoonForgotten(block.hash));
      for await (const some of inBatches(all, TOGETHER, ({ block }) => OF_BLOCK + own.sizeOf(block.hash))) {
        try {
          await whileBusy(loop, some[0]!.end, isUrgent);
        } catch (error) {
          for (const one of some) one.reject(error);
          continue;
        }
        await Promise.all(some.map((one) => one.prove()));
      }
    }
    running = undefined;
  };

  return (actors: Actors, block: ProvenBlock): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({
        end: loop.clock() + LONGEST_WAIT_MS,
        block,
        prove: () => prove(actors, block).then(resolve, reject),
        reject,
      });
      running ??= proveAll();
    });
}
