import type { ChainReceipt, ChainTransaction, Sent } from '../../../src/chain/port.js';
import type { BroadcastOptions } from '../../../src/ledger/transaction/broadcast.js';
import { CONTRACT_THERE, receiptIn } from '../driven-ledger.js';

/** Somebody who waited for the transaction. */
export interface Waited {
  readonly unsent: 'unsent' | undefined;
  /** How often it had been sent then. */
  readonly sent: number;
  /** Why it was stopped, the first time. */
  reason: Error | undefined;
}

/** A chain's node that gives one answer after the other to what it is sent; the last one from then on. */
export function nodeThat(...answers: (Sent | Error)[]) {
  const asked: string[] = [];
  const waits: Waited[] = [];
  const state = {
    nonce: 0,
    receipt: undefined as ChainReceipt | undefined,
    transaction: undefined as ChainTransaction | undefined,
    mines: true,
    /** Whether it is known where it is only when the node is asked for it. */
    minedBefore: false,
    /** Whether it puts into a block also what it answers with an error. */
    passesOn: false,
  };
  const unsent = new Set<() => void>();
  const chain: BroadcastOptions['chain'] = {
    async send(raw) {
      asked.push(raw);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (state.passesOn || (answer as Sent).is === 'sent') for (const mine of unsent) mine();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    mined(_hash, _confirmations, isUnsent) {
      const wait: Waited = { unsent: isUnsent, sent: asked.length, reason: undefined };
      waits.push(wait);
      let stop!: (reason: Error) => void;
      const receipt = new Promise<ChainReceipt>((resolve, reject) => {
        const mine = (): void => {
          if (state.mines && !(state.minedBefore && isUnsent)) resolve(receiptIn(7));
        };
        if (isUnsent) unsent.add(mine);
        else mine();
        stop = (reason) => {
          wait.reason ??= reason;
          reject(reason);
        };
      });
      return { receipt, stop };
    },
    nextNonce: async () => state.nonce,
    receipt: async () => state.receipt,
    transaction: async () => state.transaction,
    ...CONTRACT_THERE,
  };
  return { chain, asked, waits, state };
}

/** All of a wait but how it ended. */
export function kind({ unsent, sent }: Waited): Omit<Waited, 'reason'> {
  return { unsent, sent };
}
