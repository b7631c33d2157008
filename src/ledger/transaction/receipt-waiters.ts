import type { Actors } from '../../actors/runtime.js';
import type { Hex } from '../../chain/port.js';
import type { Wallet } from '../../wallets/port.js';
import type { AccountContext } from '../account/account-machine.js';
import { accountAddress, transactionAddress } from '../addresses.js';
import type { Submissions, Outcome } from './submissions.js';
import type { TransactionContext } from './transaction-machine.js';

/** The transaction that a caller waits for. */
export interface Awaited {
  /** Name of its chain. */
  readonly chain: string;
  readonly hash: Hex;
  /** True if it was signed for an earlier request: its outcome may be known already. */
  readonly old: boolean;
}

/** Waits for the outcome of transactions, whichever node of the service carries them. */
export interface ReceiptWaiters {
  /** Resolves with the outcome; undefined if it takes longer than `ms`. `wallet`: see `Submissions.wait`. */
  wait(transaction: Awaited, ms: number, wallet?: Wallet): Promise<Outcome | undefined>;
}

export interface ReceiptWaitersOptions {
  readonly actors: Actors;
  readonly submissions: Pick<Submissions, 'wait'>;
  /** True if other processes use the store: one of them may carry the transaction. */
  readonly shared: boolean;
}

/** Pause between two reads of the store for an outcome that no answer on this node reports, ms. */
const POLL_MS = 500;

/** Makes the waiters of a node. */
export function createReceiptWaiters({ actors, submissions, shared }: ReceiptWaitersOptions): ReceiptWaiters {
  const outcomeOf = async (chain: string, hash: Hex): Promise<Outcome | 'being-listed' | undefined> => {
    const view = await actors.read<TransactionContext>(transactionAddress(chain, hash));
    if (view === undefined) return undefined;
    const { refusal, signed } = view.context;
    if (refusal !== undefined) return { is: 'refused', ...refusal };
    if (view.state !== 'recorded') return undefined;
    // A transaction that its account still remembers may not be listed yet.
    const account = await actors.read<AccountContext>(accountAddress(chain, signed!.operation.account));
    const isRemembered = account?.context.outbox.some(({ id }) => id === hash);
    return isRemembered ? 'being-listed' : { is: 'recorded', transaction: undefined };
  };

  return {
    async wait({ chain, hash, old }, ms, wallet) {
      const waiting = submissions.wait(hash, ms, wallet);
      let timer: NodeJS.Timeout | undefined;
      const poll = async (): Promise<void> => {
        const outcome = await outcomeOf(chain, hash).catch(() => 'no-answer' as const);
        if (typeof outcome === 'object') return waiting.resolve(outcome);
        // A transaction that is recorded already may have been answered before this caller came.
        if (shared || outcome !== undefined) again();
      };
      const again = (): void => {
        if (!waiting.isOver()) timer = setTimeout(() => void poll(), POLL_MS);
      };
      if (old) void poll();
      else if (shared) again();
      try {
        return await waiting.outcome;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
