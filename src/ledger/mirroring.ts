import type { Actors } from '../actors/runtime.js';
import { handOverMirror } from '../delivery/mirror-message.js';
import type { Filing } from './filing.js';
import type { BatchEntry } from './operation.js';
import { receiptOf } from './receipt.js';
import type { TransactionContext } from './transaction-machine.js';

export interface MirroringOptions {
  readonly actors: () => Actors;
  readonly filing: Filing;
  /** The broker's address (BROKER_MIRROR_URL); undefined where nothing is mirrored. */
  readonly url: string | undefined;
  readonly now: () => number;
}

/** Has the receipt of a mined transaction put into a broker; resolves when that is certain to be tried. */
export function mirroring({ actors, filing, url, now }: MirroringOptions) {
  return async (context: TransactionContext): Promise<void> => {
    if (url === undefined) return;
    const { operation } = context.signed!;
    const entities = await entitiesOf(operation.listed, filing);
    await handOverMirror(
      actors(),
      { url, receipt: receiptOf(context), entities, tenant: operation.tenant },
      now(),
    );
  };
}

async function entitiesOf(
  listed: NonNullable<TransactionContext['signed']>['operation']['listed'],
  filing: Filing,
): Promise<readonly string[]> {
  if ('entityId' in listed) return [listed.entityId];
  const entities: string[] = [];
  for (let number = 0; number < listed.pages; number += 1) {
    const page = JSON.parse(await filing.batchPage(listed.batch, number)) as BatchEntry[];
    entities.push(...page.map(({ entityId }) => entityId));
  }
  return entities;
}
