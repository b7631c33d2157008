import { expect } from 'chai';
import { type ProofFile, verifyProof } from '../../../src/library/proof.js';
import { until } from '../../ledger/scene.js';
import { anyId, building, notification, type Receipt, receiptIn, sharedLedger } from './scene.js';

describe('the notifications of a broker', () => {
  const ledger = sharedLedger({ LEDGER_FINALITY: '1' });
  const notify = (body: object, headers?: Record<string, string>) =>
    ledger().ask('POST /ledger/notify', body, headers);
  const expectProven = async (entity: { id: string }, receipt: Receipt): Promise<void> => {
    const path = `/ledger/proofs/${receipt.transactionHash}?entity=${encodeURIComponent(entity.id)}`;
    const { status, body, text } = await ledger().ask(`GET ${path}`);
    expect(status, text).to.equal(200);
    const file = body as unknown as ProofFile;
    expect(file.operation).to.equal('notify');
    const verdict = verifyProof(file, { entity }, { blockHash: receipt.blockHash });
    expect(verdict.verified, JSON.stringify(verdict)).to.equal(true);
    const claim = { transactionHash: receipt.transactionHash, entity };
    expect((await ledger().ask('POST /ledger/verify', claim)).body).to.include({ verified: true });
  };

  it('are recorded with the wallet that their headers name, once, and answered with the receipt', async () => {
    const alice = await ledger().account();
    const data = [building(), { id: anyId(), type: 'Building', name: 'The red barn' }];
    const body = notification(data, {
      '@context': 'https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld',
    });
    const headers = { ...alice.headers, 'Content-Type': 'application/ld+json', 'NGSILD-Tenant': 'acme' };
    const receipt = receiptIn(await notify(body, headers));
    expect(receipt).to.include({ from: alice.address, statusOK: true });
    expect(receipt.additionalInformation).to.include({ operation: 'notify', tenant: 'acme' });
    expect(receipt.additionalInformation.entities!.map(({ entityId }) => entityId)).to.deep.equal(
      data.map(({ id }) => id),
    );
    const again = await notify({ ...body, notifiedAt: '2026-11-21T11:00:00.000Z' }, headers);
    expect(receiptIn(again).transactionHash).to.equal(receipt.transactionHash);
    expect(await ledger().nonceOf(alice.address)).to.equal(1);
    for (const entity of data) {
      await expectProven(entity, receipt);
      const listed = await ledger().trace(entity.id, { 'NGSILD-Tenant': 'acme' });
      expect(listed.map(({ transactionHash }) => transactionHash)).to.deep.equal([receipt.transactionHash]);
    }
  });

  it('are accepted without a wallet, and their operation becomes the receipt of the default account', async () => {
    const data = [building(), building(), building()];
    const body = notification(data);
    const { status, body: answer } = await notify(body, { 'NGSILD-Tenant': 'acme' });
    expect(status).to.equal(202);
    const path = `/ledger/operations/${answer['operation'] as unknown as string}`;
    let receipt: Receipt | undefined;
    await until(async () => {
      const asked = await ledger().ask(`GET ${path}`);
      if (asked.status === 202) expect(asked.body).to.deep.equal({ state: 'pending' });
      receipt = receiptIn(asked);
    });
    expect(receipt!.additionalInformation.entities).to.have.length(3);
    for (const entity of data) await expectProven(entity, receipt!);
    expect((await notify(body, { 'NGSILD-Tenant': 'acme' })).body).to.deep.equal(answer);
    const other = { 'NGSILD-Tenant': 'umbrella' };
    expect((await ledger().ask(`GET ${path}`, undefined, other)).status).to.equal(404);
    expect((await notify(body, other)).body).not.to.deep.equal(answer);
  });

  it('that are faulty change nothing', async () => {
    const count = await ledger().count();
    const faulty = building('not a uri');
    for (const headers of [{}, (await ledger().account()).headers]) {
      const { status, text } = await notify(notification([building(), faulty]), headers);
      expect(status).to.equal(400);
      expect(text).to.contain('data[1].id: must be a URI');
    }
    expect(await ledger().count()).to.equal(count);
  });
});
