import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../actors/runtime.js';
import type { Chain, Hex } from '../chain/port.js';
import { pages } from '../store/paging.js';
import { addressOf } from '../store/port.js';
import type { Listed, Store } from '../store/port.js';
import { TRANSACTION } from './addresses.js';
import type { TransactionContext, TransactionEvent } from './transaction-machine.js';

export interface RecheckOptions {
  readonly actors: Actors;
  readonly chain: Chain;
  readonly store: Store;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export interface Rechecks {
  /**
   * The chain knows fewer transactions of an account than were recorded: `used` nonces of `next`. Where those between
   * are not on their way, the chain has come back older than any reorganisation, and has to be given them again.
   */
  behind(account: Hex, used: number, next: number): void;
  close(): Promise<void>;
}

/** The states of transactions whose block may go. */
const STATES = ['sending', 'recorded'];
/** Transactions that are looked up together. */
const PAGE = 100;
/** How often an account that is behind is looked into, ms. */
const BEHIND_MS = 30_000;

/**
 * Has every transaction that is recorded and not final looked up again whenever blocks of the chain have gone, and at
 * the start, since blocks may have gone meanwhile.
 */
export function startRechecks({ actors, chain, store, now, onError }: RecheckOptions): Rechecks {
  const closing = new AbortController();
  const lookedInto = new Map<Hex, number>();
  let again = false;
  let running: Promise<void> | undefined;
  let mending: Promise<void> = Promise.resolve();

  const tell = (id: string): Promise<unknown> => {
    const event: TransactionEvent = { type: 'recheck', now: now() };
    return actors.tell(addressOf(id), event);
  };

  const recheck = async (state: string): Promise<void> => {
    const query = { kind: TRANSACTION, tenant: chain.name, state, limit: PAGE };
    for await (const page of pages((after) => store.outline({ ...query, after }))) {
      await Promise.all(page.map(({ id }) => tell(id)));
      if (closing.signal.aborted) return;
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

  /** The transactions of an account in a state with nonces from `used` on. */
  async function* missing(state: string, account: Hex, used: number): AsyncGenerator<string> {
    const query = { kind: TRANSACTION, tenant: chain.name, state, limit: PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const item of page) if (isOf(item, account, used)) yield item.id;
      // An embedded store answers at once: nobody else would have a turn until the last page.
      await setImmediate();
      if (closing.signal.aborted) return;
    }
  }

  const mend = async (account: Hex, used: number, next: number): Promise<void> => {
    let onTheirWay = 0;
    for (const state of STATES) {
      for await (const _ of missing(state, account, used)) onTheirWay += 1;
      if (onTheirWay >= next - used) return;
    }
    for await (const id of missing('final', account, used)) await tell(id);
  };

  const stop = chain.onReorganisation(start);
  start();
  return {
    behind(account, used, next) {
      for (const [other, at] of lookedInto) if (now() - at >= BEHIND_MS) lookedInto.delete(other);
      if (lookedInto.has(account)) return;
      lookedInto.set(account, now());
      mending = mending.then(() => mend(account, used, next)).catch(onError);
    },
    async close() {
      closing.abort();
      stop();
      await Promise.all([running, mending]);
    },
  };
}

function isOf({ cold }: Listed, account: Hex, used: number): boolean {
  const { signed } = JSON.parse(cold) as Pick<TransactionContext, 'signed'>;
  return signed!.operation.account === account && signed!.nonce >= used;
}
