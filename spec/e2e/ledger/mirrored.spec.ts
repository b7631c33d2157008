import { expect } from 'chai';
import {
  type HeldEntity,
  type MirrorBroker,
  startMirrorBroker,
} from '../../delivery/senders/mirror-broker.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  openLedger,
  type Receipt,
  receiptIn,
  UPSERT,
} from './scene.js';

describe('receipts mirrored to a broker', () => {
  let broker: MirrorBroker;
  let ledger: LedgerService;
  before(async () => {
    broker = await startMirrorBroker();
    ledger = await openLedger({ BROKER_MIRROR_URL: broker.origin });
  });
  after(async () => {
    await ledger?.close();
    await broker?.stop();
  });

  const held = ({ transactionHash }: Receipt, tenant = ''): Promise<HeldEntity> =>
    eventually(
      () => broker.held.get(`${tenant} urn:ngsi-ld:dlttxreceipt:${transactionHash}`),
      SOON_MS,
      () => `the broker holds ${[...broker.held.keys()].join()}`,
    );

  it('are entities that name theirs and have the receipt', async () => {
    const id = anyId();
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, building(id)));
    expect(await held(receipt)).to.deep.include({
      type: 'DLTtxReceipt',
      refEntity: { type: 'Relationship', object: id },
      TxReceipts: { type: 'Property', value: receipt },
    });
  });

  it('have the query that was asked, under the tenant that asked', async () => {
    const headers = { 'NGSILD-Tenant': 'acme' };
    const receipt = receiptIn(await ledger.ask(`GET ${ENTITIES}?type=Building&limit=3`, undefined, headers));
    const entity = await held(receipt, 'acme');
    expect(entity.retrievalQuery).to.deep.equal({ type: 'Property', value: { type: 'Building', limit: 3 } });
  });

  it('name all entities of a batch, without its proofs', async () => {
    const ids = [anyId(), anyId(), anyId()];
    const receipt = receiptIn(
      await ledger.ask(
        `POST ${UPSERT}`,
        ids.map((id) => building(id)),
      ),
    );
    const { refEntity, TxReceipts } = await held(receipt);
    expect(refEntity).to.deep.equal({ type: 'Property', value: ids });
    const { entities: _, ...information } = receipt.additionalInformation;
    expect(TxReceipts.value).to.deep.equal({ ...receipt, additionalInformation: information });
  });

  it('come once, later, if the broker fails or its answer is lost; no caller waits for that', async () => {
    for (const failure of ['lost', { status: 503, type: 'InternalError' }] as const) {
      broker.fail(failure);
      const before = broker.got.length;
      const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, building()));
      await held(receipt);
      const tried = (): true | undefined => (broker.got.length >= before + 2 ? true : undefined);
      await eventually(tried, SOON_MS, () => 'it was not tried again');
    }
  });
});
