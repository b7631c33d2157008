import { expect } from 'chai';
import { apiClient } from '../api-client.js';
import { expectProblem } from './problem.js';
import { anyId, building, ENTITIES, receiptIn, sharedLedger, UPSERT } from './scene.js';

type Headers = Readonly<Record<string, string>>;

describe('LEDGER_AUTH=token: two tenants, who name no NGSILD-Tenant', () => {
  const ledger = sharedLedger({
    LEDGER_AUTH: 'token',
    IDENTITY_USERS: 'acme:ann:secret-1,umbrella:bob:secret-2',
  });
  let ann: Headers;
  let bob: Headers;

  before(async () => {
    const tokenOf = async (tenant: string, user: string, password: string) => ({
      'X-Auth-Token': (await apiClient(ledger().url, tenant, user, password)).token,
    });
    [ann, bob] = [await tokenOf('acme', 'ann', 'secret-1'), await tokenOf('umbrella', 'bob', 'secret-2')];
  });

  const list = async (headers: Headers): Promise<string> =>
    (await ledger().ask('GET /entity', undefined, headers)).text;

  it('see their own transactions alone, of every operation', async () => {
    const [id, other, batched] = [anyId(), anyId(), anyId()];
    const asked: readonly (readonly [string, unknown])[] = [
      [`POST ${ENTITIES}`, building(id)],
      [`GET ${ENTITIES}?type=Building`, undefined],
      [`POST /ngsi-ld/v1/entities/${id}/attrs`, { n: 1 }],
      [`GET /ngsi-ld/v1/entities/${other}`, undefined],
      [`POST ${UPSERT}`, [building(id), building(batched)]],
    ];
    const before = { ann: await ledger().count(ann), bob: await ledger().count(bob) };
    const hashes: string[] = [];
    for (const [request, body] of asked) {
      const receipt = receiptIn(await ledger().ask(request, body, ann));
      expect(receipt.additionalInformation['tenant'], request).to.match(/^[0-9a-f]{32}$/);
      hashes.push(receipt.transactionHash);
    }
    for (const entityId of [id, other, batched, 'urn:ngsi-ld:requestor:default']) {
      expectProblem(await ledger().ask(`GET /entity/${entityId}`, undefined, bob), 404, 'ResourceNotFound');
      expect(await ledger().trace(entityId, ann)).not.to.deep.equal([]);
    }
    expect(await ledger().count(ann)).to.equal(before.ann + 4);
    expect(await ledger().count(bob)).to.equal(before.bob);
    const [mine, theirs] = [await list(ann), await list(bob)];
    for (const hash of hashes) {
      expect(mine).to.contain(hash);
      expect(theirs).not.to.contain(hash);
    }
    // Of one entity that both record each sees his own.
    const bobs = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), bob));
    expect(await ledger().trace(id, bob)).to.deep.equal([bobs]);
    expect(await list(ann)).not.to.contain(bobs.transactionHash);
  });

  it('have Idempotency-Keys of their own, although one account signs for both', async () => {
    const key = { 'Idempotency-Key': anyId() };
    const id = anyId();
    const record = async (who: Headers, body: unknown) =>
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, body, { ...who, ...key }));
    const first = await record(ann, building(id));
    const second = await record(bob, building(id, 'another barn'));
    expect(second.from).to.equal(first.from);
    expect(second.transactionHash).not.to.equal(first.transactionHash);
    expect(await record(ann, building(id))).to.deep.equal(first);
    expect(await record({ ...ann, 'NGSILD-Tenant': 'acme' }, building(id))).to.deep.equal(first);
    expect(await record(bob, building(id, 'another barn'))).to.deep.equal(second);
    const changed = await ledger().ask(`POST ${ENTITIES}`, building(id, 'a third'), { ...ann, ...key });
    expect(changed.status).to.equal(422);
  });
});
