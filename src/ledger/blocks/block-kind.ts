import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import { isAhead, withoutLateWake } from '../../actors/clock-set-back.js';
import { isOn } from '../../chain/late-chain.js';
import type { Chain, Hex, ChainReceipt } from '../../chain/port.js';
import { BLOCK, blockOf, transactionAddress, blockAddress } from '../addresses.js';
import { inBatches } from '../../system/in-batches.js';
import {
  type BlockContext,
  type BlockEvent,
  blockMachine,
  type BlockSettings,
  type CheckEffect,
} from './block-machine.js';
import { actorId, addressOf } from '../../store/port.js';
import { batcher } from '../../system/batcher.js';

export interface BlockKindOptions {
  readonly chain: Pick<Chain, 'name' | 'head' | 'hashOf' | 'block'>;
  readonly settings: BlockSettings & {
    /** Depth of a block, its own counted, from which on no reorganisation is expected to replace it. */
    readonly finality: number;
  };
  readonly now: () => number;
  /**
   * Makes the proofs of a final block. Resolves with false if the node does not have the block now. undefined if proofs are
   * made when they are asked for.
   */
  readonly prove?: ((actors: Actors, block: FinalBlock) => Promise<boolean>) | undefined;
}

/** A block that is final. `chain`: the chain's name. */
interface FinalBlock {
  readonly chain: string;
  readonly number: number;
  readonly hash: Hex;
}

/** Time after which no proof of a final block is made if the node lacks the block, ms. */
const PROOF_MS = 24 * 60 * 60 * 1000;
/** Transactions of a lost block that get `recheck` at a time. */
const BATCH_SIZE = 100;

/** Returns the kind of watched blocks. */
export function blockKind({ chain, settings, now, prove }: BlockKindOptions): ActorKind {
  /** Returns true if the chain has the block. The node of the chain is asked only if this node has seen another one. */
  const isOnChain = async (number: number, hash: Hex): Promise<boolean> =>
    chain.hashOf(number) === hash || (await chain.block(number))?.hash === hash;

  /** Sends `recheck` to all transactions, even if some fail. Rejects then with the first error. */
  const recheckAll = async (actors: Actors, name: string, transactions: readonly Hex[]): Promise<void> => {
    const results: PromiseSettledResult<unknown>[] = [];
    for await (const batch of inBatches(transactions, BATCH_SIZE)) {
      const recheck = { type: 'recheck', now: now() };
      const sent = batch.map((hash) => actors.ask(transactionAddress(name, hash), recheck));
      results.push(...(await Promise.allSettled(sent)));
    }
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };

  /** Returns true if the proofs of a final block are stored, are not wanted, or are given up. */
  const isProven = async (actors: Actors, block: FinalBlock, since: number): Promise<boolean> =>
    prove === undefined || (await prove(actors, block)) || now() - since > PROOF_MS;

  return {
    name: BLOCK,
    version: 1,
    machine: blockMachine(settings),
    afterSetBack(context: BlockContext, at: number): BlockContext {
      const planned = withoutLateWake(context, at);
      return isAhead(planned.since, at) ? { ...planned, since: at } : planned;
    },
    effects: {
      async check(
        { id: entryId, why }: CheckEffect,
        { transactions, since }: BlockContext,
        { address, actors }: EffectRun,
      ): Promise<BlockEvent> {
        const { number, hash } = blockOf(address);
        const head = chain.head() ?? -1;
        // The node is on another chain, or lags behind the block: the next check may know more.
        if (!isOn(chain, address.tenant) || (why === 'age' && number > head)) {
          return { type: 'seen', now: now(), entryId, deep: false };
        }
        if (await isOnChain(number, hash)) {
          const isFinal = head - number + 1 >= settings.finality;
          const deep = isFinal && (await isProven(actors, { chain: address.tenant, number, hash }, since));
          return { type: 'seen', now: now(), entryId, deep };
        }
        await recheckAll(actors, address.tenant, transactions);
        return { type: 'lost', now: now(), entryId };
      },
    },
    deletedState: 'gone',
  };
}

/** Watches the blocks of recorded transactions until they are final. */
export type BlockWatch = ReturnType<typeof createBlockWatch>;

/** Makes the block watch of a node. Transactions of one block that come in one turn of the event loop share an event. */
export function createBlockWatch(now: () => number) {
  const batch = batcher<{ readonly actors: Actors; readonly hash: Hex }, void>({
    schedule: setImmediate,
    process(id, watched) {
      const transactions = watched.map(({ hash }) => hash);
      const event: BlockEvent = { type: 'watch', now: now(), transactions };
      return watched[0]!.actors.ask(addressOf(id), event);
    },
  });

  return {
    /**
     * Watches the block of a receipt for the transaction `hash`. Resolves when that is durable. `hash` is the hash of the
     * first signature; the receipt may name a replacement. `chain` is a chain's name.
     */
    watch(actors: Actors, chain: string, { blockNumber, blockHash }: ChainReceipt, hash: Hex) {
      const id = actorId(blockAddress(chain, Number(blockNumber), blockHash));
      return batch(id, { actors, hash }).result;
    },
  };
}
