import type { Actors } from '../actors/runtime.js';
import type { Chain } from '../chain/port.js';
import { addressOf } from '../store/port.js';
import type { Store } from '../store/port.js';
import { TRANSACTION } from './addresses.js';
import type { TransactionEvent } from './transaction-machine.js';

export interface RecheckOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly store: Store;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** The states of transactions whose block may go. */
const STATES = ['sending', 'recorded'];
/** Transactions that are looked up together. */
const PAGE = 100;

/**
 * Has every transaction that is recorded and not final looked up again whenever blocks of the chain have gone, and at
 * the start, since blocks may have gone meanwhile.
 */
export function startRechecks({ actors, chain, store, now, onError }: RecheckOptions): {
  close(): Promise<void>;
} {
  const closing = new AbortController();
  let again = false;
  let running: Promise<void> | undefined;

  const recheck = async (state: string): Promise<void> => {
    for (let after: string | undefined; ;) {
      const query = { kind: TRANSACTION, tenant: chain.name, state, after, limit: PAGE };
      const { items, more } = await store.outline(query);
      const event: TransactionEvent = { type: 'recheck', now: now() };
      await Promise.all(items.map(({ id }) => actors.tell(addressOf(id), event)));
      if (closing.signal.aborted || !more) return;
      after = items.at(-1)!.id;
    }
  };

  const run = async (): Promise<void> => {
    while (again && !closing.signal.aborted) {
      again = false;
      // In the order in which a transaction goes through them: none slips by.
      for (const state of STATES) await recheck(state).catch(onError);
    }
    running = undefined;
  };

  const start = (): void => {
    again = true;
    running ??= run();
  };

  const stop = chain.onReorganisation(start);
  start();
  return {
    async close() {
      closing.abort();
      stop();
      await running;
    },
  };
}
