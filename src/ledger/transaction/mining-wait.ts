import type { Chain, ChainReceipt, Hex, Mined } from '../../chain/port.js';

export interface AwaitingOptions {
  readonly chain: Pick<Chain, 'mined' | 'onReorganisation'>;
  /** Blocks that a transaction must lie under, its own counted. */
  readonly confirmations: number;
  /** Ends all waits, with its reason. */
  readonly stopped: AbortSignal;
}

/** Begins to wait until a transaction is mined; `unsent` as in `Chain.mined`. */
export type Await = (hash: Hex, unsent?: 'unsent') => Wait;

/** Somebody who waits until a transaction is mined. */
export interface Wait {
  /** `late` where it takes longer than `ms` from now, `reorganised` where blocks go before; nobody waits any more then. */
  within(ms: number): Promise<Waited>;
  /** The receipt, if it has come. */
  seen(): ChainReceipt | undefined;
  end(): void;
}

export type Waited =
  | { readonly is: 'mined'; readonly receipt: ChainReceipt }
  | { readonly is: 'late' }
  /** It may have gone with them, and the node may not have it any more. */
  | { readonly is: 'reorganised' };

/** Why waiting was broken off. */
const ENOUGH = new Error('waited for long enough');

/** Makes it for a chain: there is a wait for every transaction, so one listener of `stopped` serves them all. */
export function awaiting({ chain, confirmations, stopped }: AwaitingOptions): Await {
  const open = new Set<Mined>();
  const stop = (mined: Mined): void => mined.stop(stopped.reason as Error);
  stopped.addEventListener('abort', () => open.forEach(stop), { once: true });

  return (hash, unsent) => {
    const mined = chain.mined(hash, confirmations, unsent);
    open.add(mined);
    if (stopped.aborted) stop(mined);
    let why: 'late' | 'reorganised' = 'late';
    let seen: ChainReceipt | undefined;
    const waited = mined.receipt.then(
      (receipt): Waited => ({ is: 'mined', receipt: (seen = receipt) }),
      (error: unknown): Waited => {
        if (error === ENOUGH) return { is: why };
        throw error;
      },
    );
    // Nobody looks at it while the transaction is still being sent.
    waited.catch(() => undefined);
    const end = (): void => {
      open.delete(mined);
      mined.stop(ENOUGH);
    };
    return {
      async within(ms) {
        const timer = setTimeout(end, ms);
        const forget = chain.onReorganisation(() => {
          why = 'reorganised';
          end();
        });
        try {
          return await waited;
        } finally {
          forget();
          clearTimeout(timer);
          open.delete(mined);
        }
      },
      seen: () => seen,
      end,
    };
  };
}
