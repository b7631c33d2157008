import { expect } from 'chai';
import { apiClient } from '../api-client.js';
import { expectProblem } from './problem.js';
import { anyId, building, ENTITIES, receiptIn, sharedLedger, UPSERT } from './scene.js';

const ONE = '/ngsi-ld/v1/entities/urn:a:1';
/** All operations. */
const REQUESTS: readonly (readonly [string, unknown])[] = [
  [`POST ${ENTITIES}`, building()],
  [`GET ${ENTITIES}`, undefined],
  [`POST ${ONE}/attrs`, { n: 1 }],
  [`PATCH ${ONE}/attrs`, { n: 1 }],
  [`GET ${ONE}`, undefined],
  [`POST ${UPSERT}`, [building()]],
  ['GET /entity', undefined],
  ['GET /entity/urn:a:1', undefined],
];

describe('LEDGER_AUTH=token', () => {
  const ledger = sharedLedger({
    LEDGER_AUTH: 'token',
    IDENTITY_USERS: 'acme:ann:secret-1,umbrella:bob:secret-2',
  });
  const tokenOf = async (tenant: string, user: string, password: string) => ({
    'X-Auth-Token': (await apiClient(ledger().url, tenant, user, password)).token,
  });
  const ann = () => tokenOf('acme', 'ann', 'secret-1');

  for (const [request, body] of REQUESTS) {
    it(`${request}: 401 without a token or with a wrong one, 403 for another tenant`, async () => {
      const sent = body === undefined ? undefined : '{not even read';
      for (const headers of [{}, { 'X-Auth-Token': 'nobody' }, { 'X-Auth-Token': '' }]) {
        const answer = await ledger().ask(request, sent, headers as Record<string, string>);
        expectProblem(answer, 401, 'about:blank', 'X-Auth-Token');
        expect(answer.headers.get('www-authenticate')).to.match(/^Keystone uri="http/);
      }
      const wrong = { ...(await ann()), 'NGSILD-Tenant': 'umbrella' };
      expectProblem(await ledger().ask(request, sent, wrong), 403, 'about:blank', 'NGSILD-Tenant');
      expect(await ledger().count(await ann())).to.equal(0);
    });
  }

  it('unknown paths and methods are told before, and proofs to anybody', async () => {
    expectProblem(await ledger().ask('GET /ngsi-ld/v1/none'), 404, 'ResourceNotFound');
    expectProblem(await ledger().ask(`DELETE ${ONE}`), 405, 'about:blank');
    expect((await ledger().ask(`OPTIONS ${ONE}`)).status).to.equal(204);
    const transactionHash = `0x${'0'.repeat(64)}`;
    const asked = await ledger().ask('POST /ledger/verify', { transactionHash, entity: building() });
    expectProblem(asked, 404, 'ResourceNotFound');
  });
});

describe('LEDGER_AUTH=token: a token that is valid', () => {
  const ledger = sharedLedger({ LEDGER_AUTH: 'token', IDENTITY_USERS: 'acme:ann:secret-1' });

  it('lets its owner record and read, with its tenant or without one', async () => {
    const { token } = await apiClient(ledger().url, 'acme', 'ann', 'secret-1');
    const mine = { 'X-Auth-Token': token };
    const id = anyId();
    const named = { ...mine, 'NGSILD-Tenant': 'acme' };
    const receipts = [
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), named)),
      receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), mine)),
    ];
    const [shown, tenantId] = receipts.map(({ additionalInformation }) =>
      String(additionalInformation['tenant']),
    );
    expect(shown).to.equal('acme');
    expect(tenantId).to.match(/^[0-9a-f]{32}$/);
    expect(await ledger().trace(id, named)).to.deep.equal(receipts);
    expect(await ledger().trace(id, { ...mine, 'NGSILD-Tenant': tenantId! })).to.deep.equal(receipts);
    expect(await ledger().trace(id, mine)).to.deep.equal(receipts);
  });
});

describe('LEDGER_AUTH=token while the identity service is away', () => {
  const away = { IDENTITY: 'keystone-v3', IDENTITY_URL: 'http://127.0.0.1:9' };
  const admin = { IDENTITY_ADMIN_TENANT: 'a', IDENTITY_ADMIN_USER: 'a', IDENTITY_ADMIN_PASSWORD: 'a' };
  const ledger = sharedLedger({ LEDGER_AUTH: 'token', ...away, ...admin });

  it('is 503', async () => {
    for (const [request, body] of REQUESTS)
      expectProblem(await ledger().ask(request, body, { 'X-Auth-Token': 'any' }), 503, 'about:blank');
  });
});
