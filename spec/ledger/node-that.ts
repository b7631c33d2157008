import type { ChainReceipt, ChainTransaction, Sent } from '../../src/chain/port.js';
import type { SendingOptions } from '../../src/ledger/sending.js';
import { receiptIn } from './driven-ledger.js';

/** Somebody who waited for the transaction. */
export interface Waited {
  readonly unsent: 'unsent' | undefined;
  /** How often it had been sent then. */
  readonly sent: number;
  readonly signal: AbortSignal;
}

/** A chain's node that gives one answer after the other to what it is sent; the last one from then on. */
export function nodeThat(...answers: (Sent | Error)[]) {
  const asked: string[] = [];
  const waits: Waited[] = [];
  const listeners = new Set<(from: number) => void>();
  const state = {
    nonce: 0,
    receipt: undefined as ChainReceipt | undefined,
    transaction: undefined as ChainTransaction | undefined,
    mines: true,
    /** Whether it is known where it is only when the node is asked for it. */
    minedBefore: false,
  };
  const chain: SendingOptions['chain'] = {
    async send(raw) {
      asked.push(raw);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    mined: (_hash, _confirmations, signal, unsent) =>
      new Promise((resolve, reject) => {
        waits.push({ unsent, sent: asked.length, signal });
        if (state.mines && !(state.minedBefore && unsent)) resolve(receiptIn(7));
        if (signal.aborted) reject(signal.reason as Error);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    nextNonce: async () => state.nonce,
    receipt: async () => state.receipt,
    transaction: async () => state.transaction,
    onReorganisation(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { chain, asked, waits, state, listeners };
}

/** All of a wait but its signal. */
export function kind({ unsent, sent }: Waited): Omit<Waited, 'signal'> {
  return { unsent, sent };
}
