import { contextIn } from '../../actors/stored-context.js';
import { actorId } from '../../store/port.js';
import type { Store } from '../../store/port.js';
import { transactionAddress } from '../addresses.js';
import { entriesOf } from '../index/batch-pages.js';
import type { BatchPages } from '../index/batch-pages.js';
import type { TransactionContext } from '../transaction/transaction-machine.js';
import type { StoredProof } from '../verify/verify.js';

/** Looks up the proofs of the batches that were recorded here. `chain` is a chain's name. */
export function storedProofs(
  store: Store,
  batchPages: BatchPages,
  chain: { readonly name: string },
): StoredProof {
  return async (transactionHash, entityId, hash) => {
    const stored = await store.load(actorId(transactionAddress(chain.name, transactionHash)));
    if (stored === undefined) return undefined;
    const { signed } = contextIn(stored) as TransactionContext;
    const { listed } = signed!.operation;
    if ('entityId' in listed) return undefined;
    for await (const text of batchPages.texts(listed)) {
      const page = text.includes(hash) ? entriesOf(text) : [];
      const found = page.find((entry) => entry.entityId === entityId && entry.hash === hash);
      if (found !== undefined) return found.proof;
    }
    return undefined;
  };
}
