import type { ActorKind, EffectRun } from '../../actors/kind.js';
import type { Actors } from '../../actors/runtime.js';
import type { Chain, Hex } from '../../chain/port.js';
import { BLOCK, blockOf, transactionAddress } from '../addresses.js';
import { blockMachine } from './block-machine.js';
import type { BlockContext, BlockEvent, BlockSettings, LookEffect } from './block-machine.js';
import { isOn } from './is-on.js';
import type { TransactionEvent } from '../transaction/transaction-machine.js';

export interface BlockKindOptions {
  readonly chain: Pick<Chain, 'name' | 'head' | 'hashOf' | 'block'>;
  readonly settings: BlockSettings & {
    /** Blocks under which no reorganisation is expected to move it any more. */
    readonly finality: number;
  };
  readonly now: () => number;
}

/** Transactions of a lost block that are told together. */
const TOGETHER = 100;

/** The kind of the blocks that are watched. */
export function blockKind({ chain, settings, now }: BlockKindOptions): ActorKind {
  /** As this node has seen it; the chain is asked where that would be bad news. */
  const isTheChains = async (number: number, hash: Hex): Promise<boolean> =>
    chain.hashOf(number) === hash || (await chain.block(number))?.hash === hash;

  /** Each is told, whatever another makes of it; rejects then with why one could not be. */
  const tellAll = async (actors: Actors, name: string, transactions: readonly Hex[]): Promise<void> => {
    const told: PromiseSettledResult<unknown>[] = [];
    for (let first = 0; first < transactions.length; first += TOGETHER) {
      const recheck: TransactionEvent = { type: 'recheck', now: now() };
      const some = transactions.slice(first, first + TOGETHER);
      const tells = some.map((hash) => actors.ask(transactionAddress(name, hash), recheck));
      told.push(...(await Promise.allSettled(tells)));
    }
    for (const one of told) if (one.status === 'rejected') throw one.reason;
  };

  return {
    name: BLOCK,
    version: 1,
    machine: blockMachine(settings),
    rarelyWritten: [],
    effects: {
      async look(
        { id: entryId, why }: LookEffect,
        { transactions }: BlockContext,
        { address, actors }: EffectRun,
      ): Promise<BlockEvent> {
        const { number, hash } = blockOf(address);
        const head = chain.head() ?? -1;
        // Of another chain nothing can be said, nor of what the node does not have yet: it is looked at again later.
        if (!isOn(chain, address.tenant) || (why === 'age' && number > head)) {
          return { type: 'seen', now: now(), entryId, deep: false };
        }
        if (await isTheChains(number, hash)) {
          return { type: 'seen', now: now(), entryId, deep: head - number + 1 >= settings.finality };
        }
        await tellAll(actors, address.tenant, transactions);
        return { type: 'lost', now: now(), entryId };
      },
    },
    deletedState: 'gone',
  };
}
