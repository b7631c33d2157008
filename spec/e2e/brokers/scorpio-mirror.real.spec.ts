import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { realBroker } from '../../servers/broker.js';
import type { AskedBroker } from './asked-broker.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  openLedger,
  type Receipt,
  receiptIn,
  UPSERT,
} from '../ledger/scene.js';

const CONTEXT =
  'https://raw.githubusercontent.com/smart-data-models/dataModel.DistributedLedgerTech/master/context.jsonld';
const LINK = `<${CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`;

/** An entity as Scorpio shows it. */
interface Shown {
  readonly type: string;
  readonly refEntity: { readonly object?: string; readonly value?: unknown };
  readonly TxReceipts: { readonly value: Readonly<Record<string, unknown>> };
}

describe('receipts mirrored to the Scorpio of SCORPIO_TEST_URL', () => {
  let scorpio: AskedBroker | undefined;
  let ledger: LedgerService;
  before(async function () {
    scorpio = realBroker('SCORPIO_TEST_URL');
    if (scorpio === undefined) this.skip();
    ledger = await openLedger({ BROKER_MIRROR_URL: scorpio.url });
  });
  after(() => ledger?.close());

  const held = ({ transactionHash }: Receipt, tenant?: string): Promise<Shown> => {
    const headers = { link: LINK, ...(tenant !== undefined && { 'ngsild-tenant': tenant }) };
    const path = `/ngsi-ld/v1/entities/urn:ngsi-ld:dlttxreceipt:${transactionHash}`;
    let said = '';
    return eventually(
      async () => {
        const { status, body } = await scorpio!.call('GET', path, undefined, headers);
        said = JSON.stringify(body);
        return status === 200 ? (body as Shown) : undefined;
      },
      SOON_MS,
      () => `Scorpio answered ${said}`,
    );
  };

  it('are entities that name theirs and have the receipt', async () => {
    const id = anyId();
    const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, building(id)));
    const { type, refEntity, TxReceipts } = await held(receipt);
    expect(type).to.equal('DLTtxReceipt');
    expect(refEntity.object).to.equal(id);
    const { transactionHash, blockHash, blockNumber, from, status } = receipt;
    expect(TxReceipts.value).to.deep.include({ transactionHash, blockHash, blockNumber, from, status });
  });

  it('are under the tenant of the operation, for a batch with all its entities', async () => {
    const ids = [anyId(), anyId(), anyId()];
    const batch = ids.map((id) => building(id));
    const receipt = receiptIn(await ledger.ask(`POST ${UPSERT}`, batch, { 'NGSILD-Tenant': 'acme' }));
    expect((await held(receipt, 'acme')).refEntity.value).to.deep.equal(ids);
  });
});
