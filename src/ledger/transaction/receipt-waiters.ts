import type { Actors } from '../../actors/runtime.js';
import type { Hex } from '../../chain/port.js';
import { transactionAddress, accountAddress } from '../addresses.js';
import type { RecordedTransaction, RefusalReason, TransactionContext } from './transaction-machine.js';
import type { AccountContext } from '../account/account-machine.js';

/** What became of a transaction. */
export type Outcome =
  /** `transaction` where it was settled on this node. */
  | { readonly is: 'recorded'; readonly transaction: RecordedTransaction | undefined }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** Those who wait for transactions on this node. */
export interface ReceiptWaiters {
  /** What became of a transaction; undefined when it takes longer than `ms`. `old` where that may be long since. */
  wait(transaction: { chain: string; hash: Hex; old: boolean }, ms: number): Promise<Outcome | undefined>;
  /** This node has settled a transaction. */
  settle(hash: Hex, outcome: Outcome): void;
}

/** How often it is looked up whether another node has settled what somebody here waits for, ms. */
const LOOK_MS = 500;

/** Makes the receiptWaiters of a node. */
export function createReceiptWaiters(actors: () => Actors): ReceiptWaiters {
  const waiting = new Map<Hex, Set<(outcome: Outcome) => void>>();

  const look = async (chain: string, hash: Hex): Promise<Outcome | undefined> => {
    const view = await actors().read<TransactionContext>(transactionAddress(chain, hash));
    if (view === undefined) return undefined;
    const { refusal, signed } = view.context;
    if (refusal !== undefined) return { is: 'refused', ...refusal };
    if (view.state !== 'recorded') return undefined;
    // What its wallet still has may not be listed yet.
    const wallet = await actors().read<AccountContext>(accountAddress(chain, signed!.operation.account));
    const isWithWallet = wallet?.context.outbox.some(({ id }) => id === hash);
    return isWithWallet ? undefined : { is: 'recorded', transaction: undefined };
  };

  const settle: ReceiptWaiters['settle'] = (hash, outcome) => {
    for (const resolve of waiting.get(hash) ?? []) resolve(outcome);
  };

  return {
    settle,
    async wait({ chain, hash, old }, ms) {
      const waiters = waiting.get(hash) ?? new Set();
      waiting.set(hash, waiters);
      let resolve!: (outcome: Outcome | undefined) => void;
      const settled = new Promise<Outcome | undefined>((done) => (resolve = done));
      waiters.add(resolve);
      const lookUp = (): void => {
        look(chain, hash).then(
          (outcome) => outcome && resolve(outcome),
          // The store is away: what is looked for comes later.
          () => undefined,
        );
      };
      const timer = setTimeout(resolve, ms, undefined);
      const looking = setInterval(lookUp, LOOK_MS);
      if (old) lookUp();
      try {
        return await settled;
      } finally {
        clearTimeout(timer);
        clearInterval(looking);
        waiters.delete(resolve);
        if (waiters.size === 0) waiting.delete(hash);
      }
    },
  };
}
