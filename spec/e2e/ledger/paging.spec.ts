import { expect } from 'chai';
import { expectProblem } from './problem.js';
import { anyId, building, ENTITIES, receiptIn, sharedLedger, UPSERT } from './scene.js';

interface Listed {
  readonly offset: number;
  readonly limit: number;
  readonly count: number;
  readonly records: readonly { readonly entityId: string; readonly txDetails: readonly object[] }[];
}

describe('lists of the ledger', () => {
  const ledger = sharedLedger();
  const tenant = (name: string): Record<string, string> => ({ 'NGSILD-Tenant': name });
  const list = async (query: string, headers: Record<string, string> = {}): Promise<Listed> =>
    (await ledger().ask(`GET /entity${query}`, undefined, headers)).body as unknown as Listed;

  it('page through entities in the order in which they were first recorded', async () => {
    const mine = tenant('paged');
    const ids = Array.from({ length: 7 }, () => anyId());
    for (const id of [...ids, ids[2]!, ids[0]!])
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), mine));
    const whole = await list('', mine);
    expect(whole).to.include({ offset: 0, limit: 1000, count: 7 });
    expect(whole.records.map(({ entityId }) => entityId)).to.deep.equal(ids);
    expect(whole.records.map(({ txDetails }) => txDetails.length)).to.deep.equal([2, 1, 2, 1, 1, 1, 1]);
    expect(await list('?offset=2&limit=3', mine)).to.deep.equal({
      offset: 2,
      limit: 3,
      count: 7,
      records: whole.records.slice(2, 5),
    });
    expect((await list('/?offset=5', mine)).records).to.deep.equal(whole.records.slice(5));
    expect(await list('?offset=7', mine)).to.deep.equal({ offset: 7, limit: 1000, count: 7, records: [] });
  });

  it('page through the transactions of an entity, newest last', async () => {
    const id = anyId();
    const receipts: object[] = [];
    for (let n = 0; n < 6; n += 1) {
      receipts.push(receiptIn(await ledger().ask(`POST /ngsi-ld/v1/entities/${id}/attrs`, { n })));
    }
    const part = async (query: string): Promise<unknown> =>
      (await ledger().ask(`GET /entity/${id}${query}`)).body['txDetails'];
    expect(await part('')).to.deep.equal(receipts);
    expect(await part('?offset=2')).to.deep.equal(receipts.slice(2));
    expect(await part('?limit=2')).to.deep.equal(receipts.slice(0, 2));
    expect(await part('/?offset=3&limit=2')).to.deep.equal(receipts.slice(3, 5));
    expect(await part('?offset=6')).to.deep.equal([]);
  });

  it('show a tenant its own: entities, transactions, count; without one, everything', async () => {
    const [one, both, other] = [anyId(), anyId(), anyId()];
    const record = (id: string, headers: Record<string, string> = {}) =>
      ledger().ask(`POST ${ENTITIES}`, building(id), headers);
    const mine = [
      await record(one, tenant('t-mine')),
      await record(both, tenant('t-mine')),
      await record(both, tenant('t-mine')),
    ];
    await record(both, tenant('t-theirs'));
    await record(both);
    await record(other, tenant('t-theirs'));
    const listed = await list('', tenant('t-mine'));
    expect(listed.count).to.equal(2);
    expect(listed.records).to.deep.equal([
      { entityId: one, txDetails: [mine[0]!.body] },
      { entityId: both, txDetails: [mine[1]!.body, mine[2]!.body] },
    ]);
    expect(await ledger().count(tenant('t-theirs'))).to.equal(2);
    expect(await ledger().trace(both, tenant('t-mine'))).to.deep.equal([mine[1]!.body, mine[2]!.body]);
    expect(await ledger().trace(both)).to.have.length(4);
    const page = await ledger().ask(`GET /entity/${both}?offset=1&limit=1`, undefined, tenant('t-mine'));
    expect(page.body['txDetails']).to.deep.equal([mine[2]!.body]);
    const nothing = await ledger().ask(`GET /entity/${other}`, undefined, tenant('t-mine'));
    expectProblem(nothing, 404, 'ResourceNotFound', 't-mine');
  });

  it('know a tenant by its name, whatever objects have under that name', async () => {
    const id = anyId();
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id)));
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expectProblem(
        await ledger().ask(`GET /entity/${id}`, undefined, tenant(name)),
        404,
        'ResourceNotFound',
      );
      expect(await list('', tenant(name)), name).to.include({ count: 0 });
      const own = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), tenant(name)));
      expect(own.additionalInformation['tenant']).to.equal(name);
      expect(await ledger().trace(id, tenant(name))).to.deep.equal([own]);
      expect(await ledger().count(tenant(name)), name).to.equal(1);
    }
  });

  it('have a batch under each of its entities once for each of its entries', async () => {
    const [id, other] = [anyId(), anyId()];
    const batch = [building(id, 'a'), building(other), building(id, 'b')];
    const receipt = receiptIn(await ledger().ask(`POST ${UPSERT}`, batch));
    const entries = receipt.additionalInformation.entities!;
    const listed = await ledger().trace(id);
    expect(listed.map((it) => it.additionalInformation.entities)).to.deep.equal([[entries[0]], [entries[2]]]);
    expect((await ledger().trace(other))[0]!.additionalInformation.entities).to.deep.equal([entries[1]]);
  });

  it('are told by HEAD as by GET, without the body', async () => {
    const id = anyId();
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id)));
    for (const path of ['/entity', `/entity/${id}`, `/entity/${anyId()}`]) {
      const [head, get] = [await ledger().ask(`HEAD ${path}`), await ledger().ask(`GET ${path}`)];
      expect([head.status, head.text]).to.deep.equal([get.status, '']);
      expect(head.headers.get('content-type')).to.equal(get.headers.get('content-type'));
    }
  });

  it('take no other limits', async () => {
    const wanted = [
      ['/entity?limit=0', 'limit must be an integer from 1 to 1000'],
      ['/entity?limit=1001', 'limit must be an integer from 1 to 1000'],
      ['/entity?offset=-1', 'offset must be an integer'],
      ['/entity?offset=-1&limit=abc', 'not "-1"; limit must be an integer from 1 to 1000'],
      ['/entity?limit=1&limit=2', 'limit must be given once'],
      ['/entity?page=1', 'page'],
      ['/entity/urn:a:b?limit=0', 'limit must be an integer from 1'],
      ['/entity/urn:a:b?offset=x', 'offset must be an integer'],
    ] as const;
    for (const [path, words] of wanted)
      expectProblem(await ledger().ask(`GET ${path}`), 400, 'BadRequestData', words);
  });
});
