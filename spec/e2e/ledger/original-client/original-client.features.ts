import { expect } from 'chai';
import { anyId, type LedgerService, type Receipt, receiptIn, type Signer } from '../scene.js';
import { expectReceipt } from '../receipt-tables.js';

/** As the original's own tests name it. */
export const TENANT = { 'NGSILD-Tenant': 'orion' };

const store = (id: string, street: string) => ({
  id,
  type: 'Building',
  category: { type: 'Property', value: ['commercial'] },
  address: {
    type: 'Property',
    value: { streetAddress: street, addressLocality: 'Dresden', postalCode: '01189' },
    verified: { type: 'Property', value: true },
  },
});

/** An entity as the original's tests send it. */
export const delivery = (id: string, status: string) => ({
  id,
  type: 'Delivery',
  name: { type: 'Property', value: id },
  allowedTimeslot: { type: 'Property', value: '' },
  requestedTimeslot: { type: 'Property', value: '2021-12-25T12:30:00+00:00' },
  status: { type: 'Property', value: status },
});

/** What a client of the original does, with whatever wallet signs. */
export function clientOfTheOriginal(
  opened: () => { readonly ledger: LedgerService; readonly signer: () => Promise<Signer> },
): void {
  const by = async (): Promise<{ ledger: LedgerService; who: Signer; headers: Record<string, string> }> => {
    const { ledger, signer } = opened();
    const who = await signer();
    return { ledger, who, headers: { ...TENANT, ...who.headers } };
  };
  const signed = (receipt: Receipt, { address }: Signer, operation: string): void => {
    expectReceipt(receipt);
    expect(receipt).to.include({ from: address, statusOK: true, status: '0x1' });
    expect(receipt.additionalInformation).to.include({ operation, tenant: 'orion' });
  };

  it('creates an entity with application/json and no @context', async () => {
    const { ledger, who, headers } = await by();
    const id = anyId();
    const answer = await ledger.ask('POST /ngsi-ld/v1/entities/', store(id, 'Hauptstraße 4'), headers);
    signed(receiptIn(answer), who, 'create');
    expect(await ledger.trace(id)).to.deep.equal([answer.body]);
  });

  it('creates one at the path without its slash', async () => {
    const { ledger, who, headers } = await by();
    const answer = await ledger.ask('POST /ngsi-ld/v1/entities', store(anyId(), 'Via Cascata 1'), headers);
    signed(receiptIn(answer), who, 'create');
  });

  it('updates it with the whole entity sent to /attrs, the id as it is', async () => {
    const { ledger, who, headers } = await by();
    const id = anyId();
    const entity = store(id, 'Via S. Valentino 51/A');
    for (const path of [`POST /ngsi-ld/v1/entities/${id}/attrs`, `PATCH /ngsi-ld/v1/entities/${id}/attrs/`]) {
      signed(receiptIn(await ledger.ask(path, entity, headers)), who, 'update');
    }
    expect(await ledger.trace(id)).to.have.length(2);
  });

  it('retrieves it with attrs and type', async () => {
    const { ledger, who, headers } = await by();
    const id = anyId();
    const path = `GET /ngsi-ld/v1/entities/${id}?attrs=address&type=Building`;
    const receipt = receiptIn(await ledger.ask(path, undefined, headers));
    signed(receipt, who, 'retrieve');
    const query = { entityId: id, attrs: 'address', type: 'Building' };
    expect(receipt.additionalInformation).to.deep.include({ ...query, query });
    expect(await ledger.trace(id)).to.deep.equal([receipt]);
  });

  it('queries, with and without a user, and with a q that is not encoded', async () => {
    const { ledger, who, headers } = await by();
    const path = 'GET /ngsi-ld/v1/entities?attrs=color&type=Unicorn&q=color=rainbow';
    const user = anyId('requestor');
    const related = receiptIn(await ledger.ask(path, undefined, { ...headers, 'Related-Entity': user }));
    const anonymous = receiptIn(await ledger.ask(path, undefined, headers));
    for (const receipt of [related, anonymous]) {
      signed(receipt, who, 'query');
      const query = { attrs: 'color', type: 'Unicorn', q: 'color=rainbow' };
      expect(receipt.additionalInformation).to.deep.include({ ...query, query });
    }
    expect(await ledger.trace(user)).to.deep.equal([related]);
    const hashes = (await ledger.trace('urn:ngsi-ld:requestor:default')).map((it) => it.transactionHash);
    expect(hashes).to.include(anonymous.transactionHash).and.not.to.include(related.transactionHash);
  });

  it('upserts several in one transaction, which each of them lists', async () => {
    const { ledger, who, headers } = await by();
    const ids = [anyId('Delivery'), anyId('Delivery')];
    const batch = ids.map((id) => delivery(id, 'timeslot_confirmed'));
    const receipt = receiptIn(await ledger.ask('POST /ngsi-ld/v1/entityOperations/upsert', batch, headers));
    signed(receipt, who, 'upsert');
    for (const [index, id] of ids.entries()) {
      const [listed] = await ledger.trace(id);
      expect(listed!.transactionHash).to.equal(receipt.transactionHash);
      expect(listed!.additionalInformation.entities).to.deep.equal([
        receipt.additionalInformation.entities![index],
      ]);
    }
  });

  it('finds its transactions by looking through GET /entity for the id', async () => {
    const { ledger, headers } = await by();
    const id = anyId();
    for (const path of ['POST /ngsi-ld/v1/entities/', `POST /ngsi-ld/v1/entities/${id}/attrs`]) {
      receiptIn(await ledger.ask(path, store(id, 'Bernhardstraße 16'), headers));
    }
    const { body } = await ledger.ask('GET /entity');
    const { offset, limit, count, records } = body as unknown as {
      records: { entityId: string; txDetails: Receipt[] }[];
    } & Record<'offset' | 'limit' | 'count', number>;
    expect({ offset, limit }).to.deep.equal({ offset: 0, limit: 1000 });
    expect(count).to.equal(records.length);
    expect(records.filter(({ entityId }) => entityId === id).flatMap((it) => it.txDetails)).to.have.length(2);
  });
}
