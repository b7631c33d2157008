import { expect } from 'chai';
import { anyId, building, type LedgerService } from '../../e2e/ledger/scene.js';

/** Sends a notification of new entities, which must be answered with 202. Returns the id of its operation. */
export async function acceptedNotification(
  ledger: LedgerService,
  entities: number,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const data = Array.from({ length: entities }, () => building());
  const notification = { id: anyId('Notification'), subscriptionId: 'urn:ngsi-ld:Subscription:1', data };
  const { status, body, text } = await ledger.ask('POST /ledger/notify', notification, headers);
  expect(status, text).to.equal(202);
  return body['operation'] as unknown as string;
}
