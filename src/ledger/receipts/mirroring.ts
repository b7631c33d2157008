import type { Deliveries } from '../../delivery/deliveries.js';
import { handOverMirror } from '../../delivery/senders/mirror-message.js';
import { entriesOf } from '../index/batch-pages.js';
import type { BatchPages } from '../index/batch-pages.js';
import { receiptOf } from './receipt.js';
import type { ListedUnder } from '../transaction/signed-operation.js';
import type { RecordedTransaction } from '../transaction/transaction-machine.js';

export interface MirroringOptions {
  readonly deliveries: Deliveries;
  readonly batchPages: BatchPages;
  /** The broker's address (BROKER_MIRROR_URL); undefined where nothing is mirrored. */
  readonly url: string | undefined;
  readonly now: () => number;
}

/** Has the receipt of a mined transaction put into a broker; resolves when that is certain to be tried. */
export function mirroring({ deliveries, batchPages, url, now }: MirroringOptions) {
  return async (transaction: RecordedTransaction): Promise<void> => {
    if (url === undefined) return;
    const { operation } = transaction.signed;
    const entities = await entitiesOf(operation.listed, batchPages);
    await handOverMirror(
      deliveries,
      { url, receipt: receiptOf(transaction), entities, tenant: operation.tenantName ?? operation.tenant },
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
