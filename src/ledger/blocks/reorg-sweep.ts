import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../../actors/runtime.js';
import { contextIn } from '../../actors/behavior.js';
import type { Chain, Hex } from '../../chain/port.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf } from '../../store/port.js';
import type { ListQuery, Store, Stored } from '../../store/port.js';
import { BLOCK, TRANSACTION, transactionAddress } from '../addresses.js';
import type { BlockContext, BlockEvent } from './block-machine.js';
import type { TransactionContext, TransactionEvent } from '../transaction/transaction-machine.js';

export interface ReorgSweepOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly store: Store;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export interface ReorgSweep {
  /**
   * The chain knows only `used` transactions of an account, and `missing` more were signed. Where those are not on their
   * way, the chain has come back older than any reorganisation, and has to be given them again.
   */
  behind(account: Hex, used: number, missing: number): void;
  close(): Promise<void>;
}

/** The state of transactions that were in a block once. */
const RECORDED = 'recorded';
/** Actors that are told together. */
const PAGE = 100;
/** How often an account that is behind is looked into, ms. */
const BEHIND_MS = 30_000;

/**
 * Has every block that is watched looked at again whenever blocks of the chain have gone, and at the start, since they
 * may have gone meanwhile; and what is on its way into a block looked up once it is there.
 */
export function startReorgSweep({ actors, chain, store, now, onError }: ReorgSweepOptions): ReorgSweep {
  const closing = new AbortController();
  const lookedInto = new Map<Hex, number>();
  let again = false;
  let running: Promise<void> | undefined;
  let mending: Promise<void> = Promise.resolve();

  const tell = (id: string, type: 'recheck' | 'look'): Promise<unknown> => {
    const event: TransactionEvent | BlockEvent = { type, now: now() };
    return actors.ask(addressOf(id), event);
  };

  const tellAll = async (
    query: Omit<ListQuery, 'limit' | 'after'>,
    type: 'recheck' | 'look',
  ): Promise<void> => {
    for await (const page of pages((after) => store.outline({ ...query, after, limit: PAGE }))) {
      const told = await Promise.allSettled(page.map(({ id }) => tell(id, type)));
      if (closing.signal.aborted) return;
      // One that cannot be told does not keep the others from it.
      const failed = told.find((one) => one.status === 'rejected');
      if (failed !== undefined) onError(failed.reason);
    }
  };

  const run = async (): Promise<void> => {
    const tenant = chain.name;
    while (again && !closing.signal.aborted) {
      again = false;
      // In the order in which a transaction goes through them: none slips by.
      await tellAll({ kind: TRANSACTION, tenant, state: 'sending' }, 'recheck').catch(onError);
      await tellAll({ kind: BLOCK, tenant }, 'look').catch(onError);
    }
    running = undefined;
  };

  const start = (): void => {
    again = true;
    running ??= run();
  };

  /** The transactions of an account in a state with nonces from `used` on. */
  async function* inState(state: string, account: Hex, used: number): AsyncGenerator<string> {
    const query = { kind: TRANSACTION, tenant: chain.name, state, limit: PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const item of page) if (isOf(item, account, used)) yield item.id;
      // An embedded store answers at once: nobody else would have a turn until the last page.
      await setImmediate();
      if (closing.signal.aborted) return;
    }
  }

  /** As `inState`, of those whose blocks are watched. */
  async function* watched(account: Hex, used: number): AsyncGenerator<string> {
    const query = { kind: BLOCK, tenant: chain.name, limit: PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const { hot } of page) {
        const { transactions } = JSON.parse(hot) as Pick<BlockContext, 'transactions'>;
        for (const [i, hash] of transactions.entries()) {
          if (i % PAGE === 0) await setImmediate();
          const id = actorId(transactionAddress(chain.name, hash));
          const stored = await store.load(id);
          if (stored !== undefined && isOf(stored, account, used)) yield id;
        }
        if (closing.signal.aborted) return;
      }
    }
  }

  const mend = async (account: Hex, used: number, expected: number): Promise<void> => {
    // Before all that ever was recorded is gone through: those that see to themselves.
    let onTheirWay = 0;
    for (const some of [inState('sending', account, used), watched(account, used)]) {
      for await (const _ of some) onTheirWay += 1;
      if (onTheirWay >= expected) return;
    }
    for await (const id of inState(RECORDED, account, used)) await tell(id, 'recheck');
  };

  const stop = chain.onReorganisation(start);
  start();
  return {
    behind(account, used, missing) {
      for (const [other, at] of lookedInto) if (now() - at >= BEHIND_MS) lookedInto.delete(other);
      if (lookedInto.has(account)) return;
      lookedInto.set(account, now());
      mending = mending.then(() => mend(account, used, missing)).catch(onError);
    },
    async close() {
      closing.abort();
      stop();
      await Promise.all([running, mending]);
    },
  };
}

function isOf(stored: Stored, account: Hex, used: number): boolean {
  const { signed } = contextIn(stored) as TransactionContext;
  return signed!.operation.account === account && signed!.nonce >= used;
}
