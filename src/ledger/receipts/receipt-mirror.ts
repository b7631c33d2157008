import type { Deliveries } from '../../delivery/deliveries.js';
import { dispatchMirror } from '../../delivery/senders/mirror.js';
import { type BatchPages, entriesOf } from '../index/batch-pages.js';
import { receiptOf } from './receipt.js';
import type { ListedUnder, MinedTransaction } from '../signed-transaction.js';

/**
 * Returns the function that hands the receipt of a mined transaction to a delivery; it resolves when that is durable. `url`:
 * the broker's address (BROKER_MIRROR_URL); undefined if nothing is mirrored.
 */
export function createReceiptMirror(
  deliveries: Deliveries,
  batchPages: BatchPages,
  url: string | undefined,
  now: () => number,
) {
  return async (transaction: MinedTransaction): Promise<void> => {
    if (url === undefined) return;
    const { operation, signedAt } = transaction.signed;
    const entities = await entitiesOf(operation.listed, batchPages);
    await dispatchMirror(
      deliveries,
      {
        url,
        receipt: receiptOf(transaction),
        signedAt,
        entities,
        tenant: operation.tenantName ?? operation.tenant,
      },
      now(),
    );
  };
}

async function entitiesOf(listed: ListedUnder, batchPages: BatchPages): Promise<readonly string[]> {
  if ('entityId' in listed) return [listed.entityId];
  const entities: string[] = [];
  for await (const page of batchPages.texts(listed)) {
    entities.push(...entriesOf(page).map(({ entityId }) => entityId));
  }
  return entities;
}
