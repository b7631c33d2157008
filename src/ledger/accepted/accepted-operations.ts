import { createHash } from 'node:crypto';
import type { Actors } from '../../actors/kind.js';
import type { Hex } from '../../chain/port.js';
import { overloaded } from '../../errors.js';
import type { Store } from '../../store/port.js';
import { addressOfOperation, operationAddress, operationId } from '../addresses.js';
import { notificationDigest } from '../content/notification.js';
import type { Ledger, OperationState } from '../port.js';
import type { ReceiptReader } from '../receipts/receipt-reader.js';
import type { Recorder } from '../record.js';
import { loadTransaction } from '../transaction/transaction-kind.js';
import type { TransactionId } from '../signed-transaction.js';
import type { AcceptedContext, AcceptedEvent } from './accepted-machine.js';
import type { OperationPermits } from './operation-permits.js';

export interface AcceptedOperationsOptions {
  readonly actors: Actors;
  /** Without the documents that this release cannot read. */
  readonly store: Store;
  readonly recorder: Pick<Recorder, 'stored'>;
  readonly receipts: Pick<ReceiptReader, 'receipt'>;
  readonly permits: Pick<OperationPermits, 'full' | 'backedOff'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Makes the part of the ledger that accepts operations and says what became of them: see `Ledger`. */
export function createAcceptedOperations(
  options: AcceptedOperationsOptions,
): Pick<Ledger, 'accept' | 'operation'> {
  const { actors, store, recorder, receipts, permits, now } = options;

  const recordedState = async (transaction: TransactionId, entities: number): Promise<OperationState> => {
    const { signed, receipt, refusal } = (await loadTransaction(store, transaction)) ?? {};
    if (signed !== undefined && receipt !== undefined)
      return { is: 'recorded', receipt: await receipts.receipt({ signed, receipt }), entities };
    // Its block has left the chain.
    return refusal === undefined ? { is: 'pending' } : { is: 'failed', detail: refusal.detail };
  };

  /** Returns the hash of a transaction that was in a block, and never will be again. */
  const lostTransaction = async (transaction: TransactionId | undefined): Promise<Hex | undefined> => {
    if (transaction === undefined) return undefined;
    const { receipt, refusal } = (await loadTransaction(store, transaction)) ?? {};
    return receipt === undefined && refusal !== undefined ? transaction.hash : undefined;
  };

  return {
    async accept(operation, { wallet, trace }) {
      const account = await wallet.account();
      const key = notificationDigest(operation);
      const address = operationAddress(operation.tenant, nameOf(key, account));
      const id = operationId(address);
      const known = await actors.read<AcceptedContext>(address);
      const lost = await lostTransaction(known?.context.transaction);
      if (known !== undefined && known.state !== 'failed' && lost === undefined) return id;
      if (permits.full) throw overloaded(fullText(permits.backedOff));
      const stored = await recorder.stored(operation, account, trace);
      const { notification, entities } = operation;
      const event: AcceptedEvent = {
        type: 'accept',
        now: now(),
        operation: stored,
        notification,
        entities: entities.length,
        key,
        lost,
      };
      await actors.ask(address, event);
      return id;
    },

    async operation(id, tenant) {
      const address = addressOfOperation(id);
      if (address === undefined || (tenant !== undefined && address.tenant !== tenant)) return undefined;
      const view = await actors.read<AcceptedContext>(address);
      if (view === undefined) return undefined;
      const { transaction, entities, failed, detail = '' } = view.context;
      if (transaction !== undefined) return recordedState(transaction, entities);
      return failed ? { is: 'failed', detail } : { is: 'pending' };
    },
  };
}

function fullText(backedOff: number): string {
  const text = 'too many operations wait to be recorded';
  if (backedOff === 0) return text;
  return `${text}, ${backedOff} of them for another try: GET /health and the console say what is wrong with the chain or the account`;
}

/** Returns the name of an accepted operation. An operation of another account is another one. */
function nameOf(key: string, account: Hex): string {
  return createHash('sha256').update(`${key}\n${account}`).digest('hex');
}
