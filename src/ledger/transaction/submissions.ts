import type { Actors } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import type { Wallet } from '../../wallets/port.js';
import type { AccountContext } from '../account/account-machine.js';
import { accountAddress, transactionAddress } from '../addresses.js';
import type { Outcome, TransactionId } from '../signed-transaction.js';
import type { PendingTransaction } from './pending-transaction.js';
import type { TransactionContext } from './transaction-machine.js';

/** The work of this node to bring a pending transaction into a block. */
export interface Submission {
  readonly pending: PendingTransaction;
  /** True if the transaction has an actor of its own, durably. */
  submitted: boolean;
  /** True if blocks have left the chain since the submission began: its receipt may name one of them. */
  receiptInDoubt: boolean;
}

/** A transaction in the table. */
interface Row {
  submission: Submission | undefined;
  /** A wallet that can sign the transaction again, while the transaction is in memory. */
  wallet: Wallet | undefined;
  readonly waiters: Set<(outcome: Outcome | undefined) => void>;
}

/**
 * The transactions that await their receipts on this node of the service, by the hashes of their first signatures, and the
 * callers who wait for them: `waitFor` resolves with the `answer` of the pipeline, or with the outcome in the store.
 */
export type Submissions = ReturnType<typeof createSubmissions>;

/** Pause between two reads of the store for an outcome that no answer on this node reports, ms. */
const POLL_MS = 500;

/** Makes the table. `shared`: other processes use the store, and one of them may carry a transaction. */
export function createSubmissions(shared: boolean) {
  const rows = new Map<Hex, Row>();
  let closed = false;

  const rowOf = (hash: Hex): Row => {
    const known = rows.get(hash);
    if (known !== undefined) return known;
    const row: Row = { submission: undefined, wallet: undefined, waiters: new Set() };
    rows.set(hash, row);
    return row;
  };

  const tidy = (hash: Hex, row: Row): void => {
    if (row.submission === undefined && row.waiters.size === 0) rows.delete(hash);
  };

  return {
    /** Returns the submission of a transaction. Starts one if the transaction has none. */
    submit(hash: Hex, start: () => PendingTransaction): Submission {
      const row = rowOf(hash);
      row.submission ??= { pending: start(), submitted: false, receiptInDoubt: false };
      return row.submission;
    },
    /** Returns the submission of a transaction; undefined if this node does not carry it. */
    find: (hash: Hex) => rows.get(hash)?.submission,
    /** Removes a submission; another one of the same transaction stays. */
    end(hash: Hex, submission: Submission): void {
      const row = rows.get(hash);
      if (row === undefined || row.submission !== submission) return;
      row.submission = undefined;
      tidy(hash, row);
    },
    /** Sets `receiptInDoubt` of all submissions, since blocks have left the chain. */
    doubtReceipts() {
      for (const { submission } of rows.values()) {
        if (submission !== undefined) submission.receiptInDoubt = true;
      }
    },
    /**
     * Resolves with the outcome, whichever node of the service carries the transaction; undefined after `ms`. `old`: true if
     * the transaction was signed for an earlier request, so that its outcome may be known already. `wallet` stays in memory
     * as long as the transaction awaits its receipt.
     */
    waitFor(
      actors: Actors,
      transaction: TransactionId,
      { ms, old = false, wallet }: { readonly ms: number; readonly old?: boolean; readonly wallet?: Wallet },
    ): Promise<Outcome | undefined> {
      if (closed) return Promise.resolve(undefined);
      const { hash } = transaction;
      const row = rowOf(hash);
      row.wallet ??= wallet;
      return new Promise((done) => {
        let poll: NodeJS.Timeout | undefined;
        const resolve = (outcome: Outcome | undefined): void => {
          if (!row.waiters.delete(resolve)) return;
          clearTimeout(late);
          clearTimeout(poll);
          tidy(hash, row);
          done(outcome);
        };
        const late = setTimeout(resolve, ms, undefined);
        row.waiters.add(resolve);
        const read = async (): Promise<void> => {
          const outcome = await storedOutcome(actors, transaction).catch(() => 'no-answer' as const);
          if (typeof outcome === 'object') resolve(outcome);
          // A transaction that is recorded already may have been answered before this caller came.
          else if (shared || outcome !== undefined) readLater();
        };
        const readLater = (): void => {
          if (row.waiters.has(resolve)) poll = setTimeout(() => void read(), POLL_MS);
        };
        if (old) void read();
        else if (shared) readLater();
      });
    },
    /** Ends all waits of this node for a transaction with its outcome. */
    answer(hash: Hex, outcome: Outcome): void {
      for (const resolve of rows.get(hash)?.waiters ?? []) resolve(outcome);
    },
    walletOf: (hash: Hex) => rows.get(hash)?.wallet,
    /** Ends all waits of this node without an outcome. */
    close(): void {
      closed = true;
      for (const { waiters } of rows.values()) for (const resolve of waiters) resolve(undefined);
    },
  };
}

async function storedOutcome(
  actors: Actors,
  { chain, hash }: TransactionId,
): Promise<Outcome | 'being-listed' | undefined> {
  const view = await actors.read<TransactionContext>(transactionAddress(chain, hash));
  if (view === undefined) return undefined;
  const { refusal, signed, receipt } = view.context;
  if (refusal !== undefined) return { is: 'refused', ...refusal };
  if (view.state !== 'recorded') return undefined;
  // A transaction that its account still remembers may not be listed yet.
  const account = await actors.read<AccountContext>(accountAddress(chain, signed!.operation.account));
  const isRemembered = account?.context.outbox.some(({ id }) => id === hash);
  return isRemembered ? 'being-listed' : { is: 'mined', transaction: { signed: signed!, receipt: receipt! } };
}
