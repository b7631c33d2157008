import { expect } from 'chai';
import { hashOf } from '../../../src/ledger/content/content-hash.js';
import { expectProblem } from './problem.js';
import { anyId, ENTITIES, receiptIn, sharedLedger, UPSERT } from './scene.js';

describe('what NGSI-LD allows', () => {
  const ledger = sharedLedger();
  const type = ['Building', 'https://example.org/Barn'];

  it('is an entity of several types, in L1, L3 and L5', async () => {
    const id = anyId();
    const entity = { id, type, name: { type: 'Property', value: 'barn' } };
    const fragment = { type, name: 'shed' };
    const created = receiptIn(await ledger().ask(`POST ${ENTITIES}`, entity));
    const updated = receiptIn(await ledger().ask(`POST ${ENTITIES}${id}/attrs`, fragment));
    const batch = receiptIn(await ledger().ask(`POST ${UPSERT}`, [entity]));
    expect(created.additionalInformation.hash).to.equal(hashOf(entity));
    expect(updated.additionalInformation.hash).to.equal(hashOf(fragment));
    expect(batch.additionalInformation.entities![0]!.hash).to.equal(hashOf(entity));
    const { transactionHash } = created;
    const verdict = await ledger().ask('POST /ledger/verify', { transactionHash, entity });
    expect(verdict.body).to.include({ verified: true, operation: 'create' });
  });

  it('is a PATCH of application/merge-patch+json, and no POST', async () => {
    const fragment = { name: { type: 'Property', value: 'barn' } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const path = `${ENTITIES}${anyId()}/attrs`;
    const receipt = receiptIn(await ledger().ask(`PATCH ${path}`, fragment, headers));
    expect(receipt.additionalInformation).to.include({ operation: 'update', hash: hashOf(fragment) });
    expectProblem(await ledger().ask(`POST ${path}`, fragment, headers), 415, 'about:blank');
  });

  it('is an idPattern that no JavaScript compiles, and none whose brackets do not balance', async () => {
    for (const idPattern of ['(?i)urn:.*', '[[:alpha:]]+', '*']) {
      const receipt = receiptIn(
        await ledger().ask(`GET ${ENTITIES}?idPattern=${encodeURIComponent(idPattern)}`),
      );
      expect(receipt.additionalInformation).to.include({ idPattern });
    }
    const refused = await ledger().ask(`GET ${ENTITIES}?idPattern=%5Ba`);
    expectProblem(refused, 400, 'BadRequestData', 'idPattern', 'balance');
  });
});
