import type { Chain, Hex } from '../../chain/port.js';
import type { PendingNonce } from '../account/pending-nonces.js';
import { AccountBroadcast } from './account-broadcast.js';
import type { BroadcastChain, Ending, PendingTransaction } from './broadcast-attempt.js';
import type { NonceGap, Replacement, SignedTransaction } from '../signed-transaction.js';

export interface BroadcastOptions {
  readonly chain: BroadcastChain & Partial<Pick<Chain, 'head'>>;
  /** Blocks that a transaction must lie under, its own counted. */
  readonly confirmations: number;
  /** Called when the node refuses a transaction that another node may have: it is sent again. */
  readonly onHeld: (hash: Hex, detail: string) => void;
  /** See `Reorganisations.onNonceGap`. */
  readonly onNonceGap: (account: Hex, gap: NonceGap) => void;
  /** Ends all broadcasts, with its reason. */
  readonly stopped: AbortSignal;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Time without a block after which the lowest pending nonce is signed again, ms; undefined: never. */
  readonly replaceAfterMs?: number | undefined;
}

/** How a transaction is broadcast. */
export interface BroadcastManner {
  /** True if any node may have the transaction already. A refusal is not final then. */
  readonly maybeBroadcast: boolean;
  /** Earlier signatures of the same nonce and content at higher prices, oldest first. */
  readonly replacements?: readonly Replacement[];
  /** Signs the same nonce and content at a higher price and makes that durable; undefined if it cannot be done now. */
  readonly replace?: (newest: Hex, replacements: number) => Promise<Replacement | undefined>;
}

/** A transaction that is being broadcast. */
export interface Broadcasting {
  /** Resolves when the transaction is in a block, or when the chain will never have it. Rejects when stopped or cancelled. */
  readonly ended: Promise<Ending>;
  /** True if any node may have the transaction. */
  maybeBroadcast(): boolean;
  /** How many replacements the broadcast knows. */
  replacements(): number;
  /** Ends the broadcast: `ended` rejects. */
  cancel(): void;
}

/** Sends signed transactions until they are in a block. */
export interface Broadcast {
  /** Begins to broadcast. Sending the same bytes again does no harm. */
  start(signed: SignedTransaction, manner: BroadcastManner): Broadcasting;
  /** Sends every open transaction again, since blocks have left the chain or the connection to the node was lost. */
  resend(): void;
  /** The pending nonces, per account in ascending order. */
  open(): readonly PendingNonce[];
}

/** Makes the broadcast of a node of the service. Each account has a queue of its own, in the order of its nonces. */
export function createBroadcast(options: BroadcastOptions): Broadcast {
  const { stopped } = options;
  const accounts = new Map<Hex, AccountBroadcast>();
  const stop = (): void => {
    for (const account of accounts.values()) account.stop(stopped.reason as Error);
  };
  stopped.addEventListener('abort', stop, { once: true });

  const queueOf = (account: Hex): AccountBroadcast => {
    const known = accounts.get(account);
    if (known !== undefined) return known;
    const queue = new AccountBroadcast(options, account, () => accounts.delete(account));
    accounts.set(account, queue);
    return queue;
  };

  return {
    start(signed, manner) {
      const queue = queueOf(signed.operation.account);
      const open: PendingTransaction = queue.add(signed, manner);
      if (stopped.aborted) stop();
      return {
        ended: open.ended,
        maybeBroadcast: () => open.maybeBroadcast,
        replacements: () => open.signatures.length - 1,
        cancel: () => queue.cancel(open, new Error('the broadcast was cancelled')),
      };
    },
    resend: () => accounts.forEach((account) => account.resend()),
    open: () => [...accounts.values()].flatMap((account) => account.pendingNonces()),
  };
}
