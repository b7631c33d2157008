import type { Hex } from '../../chain/port.js';
import type { Wallet } from '../../wallets/port.js';
import type { Broadcasting } from './broadcast.js';
import type { MinedTransaction, SignedTransaction } from '../signed-transaction.js';
import type { RefusalReason } from './transaction-machine.js';

/** The outcome of a transaction. */
export type Outcome =
  /** `transaction` if it was recorded by this node. */
  | { readonly is: 'recorded'; readonly transaction: MinedTransaction | undefined }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** A transaction that this node carries to its block. */
export interface Run {
  readonly signed: SignedTransaction;
  readonly broadcasting: Broadcasting;
  /** True if the transaction has an actor of its own, durably. */
  submitted: boolean;
  /** True if blocks have left the chain since the run began: its receipt may name one of them. */
  receiptInDoubt: boolean;
}

/** A transaction in the table. */
interface Entry {
  run: Run | undefined;
  /** A wallet that can sign the transaction again, while the transaction is in memory. */
  wallet: Wallet | undefined;
  readonly waiters: Set<(outcome: Outcome | undefined) => void>;
}

/**
 * The transactions that are in flight on this node of the service, by the hashes of their first signatures, and the
 * callers who wait for them.
 */
export interface Submissions {
  /** Returns the run of a transaction. Begins one if the transaction has none. */
  run(signed: SignedTransaction, begin: () => Broadcasting): Run;
  /** Returns the run of a transaction; undefined if this node does not carry it. */
  find(hash: Hex): Run | undefined;
  /** Removes a run from the table; another run of the same transaction stays. */
  end(hash: Hex, run: Run): void;
  /** Marks all runs as receiptInDoubt, since blocks have left the chain. */
  doubt(): void;
  /**
   * Waits for the outcome, which is undefined after `ms`. `wallet` stays in memory as long as the transaction is in flight.
   */
  wait(hash: Hex, ms: number, wallet?: Wallet): Waiting;
  /** Ends all waits for a transaction with its outcome. */
  answer(hash: Hex, outcome: Outcome): void;
  walletOf(hash: Hex): Wallet | undefined;
}

/** A wait for the outcome of a transaction. */
export interface Waiting {
  readonly outcome: Promise<Outcome | undefined>;
  /** Ends the wait with an outcome that was found elsewhere. */
  resolve(outcome: Outcome): void;
  /** True once the wait has ended. */
  isOver(): boolean;
}

/** Makes the table. */
export function createSubmissions(): Submissions {
  const entries = new Map<Hex, Entry>();

  const entryOf = (hash: Hex): Entry => {
    const known = entries.get(hash);
    if (known !== undefined) return known;
    const entry: Entry = { run: undefined, wallet: undefined, waiters: new Set() };
    entries.set(hash, entry);
    return entry;
  };

  const tidy = (hash: Hex, entry: Entry): void => {
    if (entry.run !== undefined || entry.waiters.size > 0) return;
    // A wait that is resolved after its end must not remove the entry of a later caller.
    if (entries.get(hash) === entry) entries.delete(hash);
  };

  return {
    run(signed, begin) {
      const entry = entryOf(signed.hash);
      entry.run ??= { signed, broadcasting: begin(), submitted: false, receiptInDoubt: false };
      return entry.run;
    },
    find: (hash) => entries.get(hash)?.run,
    end(hash, run) {
      const entry = entries.get(hash);
      if (entry === undefined || entry.run !== run) return;
      entry.run = undefined;
      tidy(hash, entry);
    },
    doubt() {
      for (const { run } of entries.values()) if (run !== undefined) run.receiptInDoubt = true;
    },
    wait(hash, ms, wallet) {
      const entry = entryOf(hash);
      entry.wallet ??= wallet;
      let resolve!: (outcome: Outcome | undefined) => void;
      const outcome = new Promise<Outcome | undefined>((done) => {
        const timer = setTimeout(() => resolve(undefined), ms);
        resolve = (found) => {
          clearTimeout(timer);
          entry.waiters.delete(resolve);
          tidy(hash, entry);
          done(found);
        };
      });
      entry.waiters.add(resolve);
      return { outcome, resolve, isOver: () => !entry.waiters.has(resolve) };
    },
    answer(hash, outcome) {
      for (const resolve of entries.get(hash)?.waiters ?? []) resolve(outcome);
    },
    walletOf: (hash) => entries.get(hash)?.wallet,
  };
}
