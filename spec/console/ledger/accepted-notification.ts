import { expect } from 'chai';
import { building, type LedgerService, notification } from '../../e2e/ledger/scene.js';

/** Sends a notification of new entities, which must be answered with 202. Returns the id of its operation. */
export async function acceptedNotification(
  ledger: LedgerService,
  entities: number,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const sent = notification(Array.from({ length: entities }, () => building()));
  const { status, body, text } = await ledger.ask('POST /ledger/notify', sent, headers);
  expect(status, text).to.equal(202);
  return body['operation'] as unknown as string;
}
