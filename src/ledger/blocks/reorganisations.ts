import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../../actors/kind.js';
import { contextIn } from '../../actors/behavior.js';
import type { Chain, Hex } from '../../chain/port.js';
import { pages } from '../../store/paging.js';
import { actorId, addressOf, type ListQuery, type Store, type Stored } from '../../store/port.js';
import { BLOCK, TRANSACTION, transactionAddress } from '../addresses.js';
import type { BlockContext } from './block-machine.js';
import type { NonceGap, SignedTransaction } from '../signed-transaction.js';

export interface ReorganisationOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly store: Store;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Called first at each reorganisation. Must send the pending transactions again and mark the receipts that are awaited. */
  readonly onBlocksGone: () => void;
}

export type Reorganisations = ReturnType<typeof handleReorganisations>;

/** The state of transactions that have a receipt. */
const RECORDED = 'recorded';
/** Actors that get an event at a time. */
const PAGE = 100;
/** Pause after a search for the missing transactions of one account, ms: of all recorded ones, which is slow, or of others. */
const SEARCHED_ALL_MS = 30_000;
const SEARCHED_MS = 2_000;

/**
 * Notices that blocks have left the chain, and handles it. Pending transactions of this node are sent again. Each
 * transaction in `sending` is marked, so that its receipt is checked when it comes. Each watched block is looked up; if it
 * has left the chain, its transactions are looked up, one by one. The latter two also happen at the start: blocks may have
 * left the chain before.
 */
export function handleReorganisations({
  actors,
  chain,
  store,
  now,
  onError,
  onBlocksGone,
}: ReorganisationOptions) {
  const closing = new AbortController();
  /** When the transactions of an account may be searched for again, ms since the epoch. */
  const searchedUntil = new Map<Hex, number>();
  let again = false;
  let running: Promise<void> | undefined;
  let searching: Promise<void> = Promise.resolve();

  const send = (id: string, type: 'recheck' | 'check'): Promise<unknown> =>
    actors.ask(addressOf(id), { type, now: now() });

  const sendAll = async (
    query: Omit<ListQuery, 'limit' | 'after'>,
    type: 'recheck' | 'check',
  ): Promise<void> => {
    for await (const page of pages((after) => store.outline({ ...query, after, limit: PAGE }))) {
      const sent = await Promise.allSettled(page.map(({ id }) => send(id, type)));
      if (closing.signal.aborted) return;
      // The other actors get their event even if one fails.
      const failed = sent.find((one) => one.status === 'rejected');
      if (failed !== undefined) onError(failed.reason);
    }
  };

  const run = async (): Promise<void> => {
    const tenant = chain.name;
    while (again && !closing.signal.aborted) {
      again = false;
      // A transaction leaves `sending` for its block: this order misses none.
      await sendAll({ kind: TRANSACTION, tenant, state: 'sending' }, 'recheck').catch(onError);
      await sendAll({ kind: BLOCK, tenant }, 'check').catch(onError);
    }
    running = undefined;
  };

  const sweep = (): void => {
    again = true;
    running ??= run();
  };

  /** Ids of the account's transactions in a state, with nonces in the gap. */
  async function* inState(state: string, account: Hex, gap: NonceGap): AsyncGenerator<string> {
    const query = { kind: TRANSACTION, tenant: chain.name, state, limit: PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const item of page) if (isIn(gap, item, account)) yield item.id;
      // An embedded store answers at once: without a pause no other work would run until the last page.
      await setImmediate();
      if (closing.signal.aborted) return;
    }
  }

  /** Like `inState`, for transactions whose blocks are watched. */
  async function* watched(account: Hex, gap: NonceGap): AsyncGenerator<string> {
    const query = { kind: BLOCK, tenant: chain.name, limit: PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const { frequent } of page) {
        const { transactions } = JSON.parse(frequent) as Pick<BlockContext, 'transactions'>;
        for (const [i, hash] of transactions.entries()) {
          if (i % PAGE === 0) await setImmediate();
          const id = actorId(transactionAddress(chain.name, hash));
          const stored = await store.load(id);
          if (stored !== undefined && isIn(gap, stored, account)) yield id;
        }
        if (closing.signal.aborted) return;
      }
    }
  }

  /** Returns the pause until the next search, ms. */
  const searchMissing = async (account: Hex, gap: NonceGap): Promise<number> => {
    // The search through all recorded transactions is slow. It is not needed if these account for the missing ones.
    const accounted = new Set<string>();
    for (const some of [inState('sending', account, gap), watched(account, gap)]) {
      for await (const id of some) accounted.add(id);
      // A block may become final between this and its check: its transactions are found by a later search.
      if (accounted.size >= gap.missing) return SEARCHED_MS;
    }
    for await (const id of inState(RECORDED, account, gap)) await send(id, 'recheck').catch(onError);
    return SEARCHED_ALL_MS;
  };

  const stop = chain.onReorganisation(() => {
    onBlocksGone();
    searchedUntil.clear();
    sweep();
  });
  sweep();
  return {
    /**
     * Reports that the chain lacks transactions of an account. If they are not pending, the chain has lost blocks that were
     * final: the transactions in the gap are looked up again.
     */
    onNonceGap(account: Hex, gap: NonceGap): void {
      for (const [other, until] of searchedUntil) if (now() >= until) searchedUntil.delete(other);
      if (searchedUntil.has(account)) return;
      searchedUntil.set(account, Infinity);
      searching = searching.then(async () => {
        const pause = await searchMissing(account, gap).catch(onError);
        searchedUntil.set(account, now() + (pause ?? SEARCHED_ALL_MS));
      });
    },
    async close() {
      closing.abort();
      stop();
      await Promise.all([running, searching]);
    },
  };
}

function isIn({ used, below }: NonceGap, stored: Stored, account: Hex): boolean {
  const { signed } = contextIn(stored) as { readonly signed: SignedTransaction | undefined };
  const { nonce, operation } = signed!;
  return operation.account === account && nonce >= used && nonce < below;
}
