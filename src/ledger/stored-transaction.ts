import type { Stored } from '../store/port.js';
import type { TransactionContext } from './transaction-machine.js';

/** What the document of a transaction says of it, in whichever of its texts the version that wrote it has put that. */
export function transactionIn({
  hot,
  cold,
}: Pick<Stored, 'hot' | 'cold'>): Pick<TransactionContext, 'signed' | 'receipt'> {
  const context = { ...(JSON.parse(cold) as object), ...(JSON.parse(hot) as object) };
  return context as Pick<TransactionContext, 'signed' | 'receipt'>;
}
