import { expect } from 'chai';
import { clientOfTheOriginal, delivery, TENANT } from './original-client.features.js';
import { anyId, type LedgerService, openLedger, receiptIn } from '../scene.js';

describe('a client of the original, with the development wallet', function () {
  let ledger: LedgerService;
  before(async () => {
    ledger = await openLedger();
  });
  after(() => ledger?.close());
  clientOfTheOriginal(() => ({ ledger, signer: () => ledger.account() }));

  it('may leave the wallet to the service', async () => {
    const id = anyId('Delivery');
    const made = await ledger.ask('POST /ngsi-ld/v1/entities/', delivery(id, 'awaiting'), TENANT);
    const updated = await ledger.ask(`POST /ngsi-ld/v1/entities/${id}/attrs`, delivery(id, 'done'), TENANT);
    expect(await ledger.trace(id)).to.deep.equal([made.body, updated.body]);
    expect(receiptIn(made).from).to.equal(receiptIn(updated).from);
  });
});
