import { contextIn } from '../../actors/behavior.js';
import type { Hex } from '../../chain/port.js';
import { actorId, type Store } from '../../store/port.js';
import { transactionAddress } from '../addresses.js';
import type { TransactionContext } from '../transaction/transaction-machine.js';

/** Reads a transaction from the store; undefined if it has no actor. `chain` is a chain's name. */
export async function loadTransaction(
  store: Store,
  chain: string,
  hash: Hex,
): Promise<TransactionContext | undefined> {
  const stored = await store.load(actorId(transactionAddress(chain, hash)));
  return stored && (contextIn(stored) as TransactionContext);
}

/** As `loadTransaction`, by the hash of any of its signatures: a replacement's actor names the transaction. */
export async function loadBySignature(
  store: Store,
  chain: string,
  hash: Hex,
): Promise<TransactionContext | undefined> {
  const found = await loadTransaction(store, chain, hash);
  return found?.replaces === undefined ? found : loadTransaction(store, chain, found.replaces);
}
