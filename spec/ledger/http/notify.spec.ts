import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { authenticate } from '../../../src/http/authentication.js';
import type { OperationState } from '../../../src/ledger/port.js';
import { problemIn, scenes, WALLET } from './scene.js';

const NOTIFICATION = {
  id: 'urn:ngsi-ld:Notification:1',
  type: 'Notification',
  subscriptionId: 'urn:ngsi-ld:Subscription:1',
  notifiedAt: '2026-01-01T00:00:00Z',
  data: [{ id: 'urn:ngsi-ld:Car:1', type: 'Car', speed: 80 }],
};
const NOTIFY = 'POST /ledger/notify';
const GET = 'GET /ledger/operations/4711';

describe('POST /ledger/notify', () => {
  const set = scenes();

  it('accepts a notification without a wallet, and says where its operation is', async () => {
    const { ask, accepted, recorded } = await set();
    const response = await ask(NOTIFY, { body: NOTIFICATION, headers: { 'ngsild-tenant': 'acme' } });
    expect(response.status).to.equal(202);
    expect(response.headers.get('location')).to.equal('/ledger/operations/4711');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(await response.json()).to.deep.equal({ operation: '4711' });
    expect(accepted).to.have.length(1);
    expect(accepted[0]).to.deep.include({ name: 'notify', tenant: 'acme', entities: ['urn:ngsi-ld:Car:1'] });
    expect(recorded).to.deep.equal([]);
  });

  it('answers with the receipt if the headers name a wallet, once for equal notifications', async () => {
    const { ask, accepted, recorded, opened } = await set();
    const headers = { ...WALLET, 'content-type': 'application/ld+json' };
    for (const notifiedAt of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:09Z']) {
      const body = { ...NOTIFICATION, notifiedAt, '@context': 'https://example.org/c.jsonld' };
      const response = await ask(NOTIFY, { body, headers });
      expect(response.status).to.equal(200);
      expect(await response.json()).to.deep.equal({ transactionHash: '0x1' });
    }
    await ask(NOTIFY, { body: { ...NOTIFICATION, id: 'urn:ngsi-ld:Notification:2' }, headers });
    expect(accepted).to.deep.equal([]);
    expect(opened).to.have.length(3);
    const [first, again, other] = recorded.map(({ by }) => by.key);
    expect(first).to.be.an('object');
    expect(again).to.deep.equal(first);
    expect(other).not.to.deep.equal(first);
  });

  it('refuses what it cannot take, and records nothing of it', async () => {
    const { ask, accepted, recorded } = await set({ batchLimit: 2_000 });
    for (const [body, headers, status, detail] of [
      [{ ...NOTIFICATION, data: [] }, {}, 400, 'data: must be a non-empty array'],
      [{ ...NOTIFICATION, data: [] }, WALLET, 400, 'data: must be a non-empty array'],
      ['{', {}, 400, 'JSON'],
      [NOTIFICATION, { 'wallet-type': 'vault' }, 400, 'Wallet-Token and Wallet-Address missing'],
      [NOTIFICATION, { 'ngsild-tenant': 'a b' }, 400, 'NGSILD-Tenant must match'],
      [NOTIFICATION, { 'content-type': 'text/plain' }, 415, 'application/json'],
      [{ ...NOTIFICATION, more: 'x'.repeat(2_000) }, {}, 413, '2000'],
    ] as const) {
      const problem = await problemIn(await ask(NOTIFY, { body, headers: { ...headers } }));
      expect(problem.status, detail).to.equal(status);
      expect(problem.detail).to.include(detail);
    }
    expect([accepted, recorded]).to.deep.equal([[], []]);
    expect((await ask('GET /ledger/notify')).status).to.equal(405);
  });

  it('is 401 as L1 without a wallet and a default account', async () => {
    const { ask } = await set({ wallets: { defaultWallet: undefined } });
    const answers = await Promise.all([
      ask(NOTIFY, { body: NOTIFICATION }),
      ask('POST /ngsi-ld/v1/entities', { body: NOTIFICATION.data[0] }),
    ]);
    const [ours, theirs] = await Promise.all(answers.map(problemIn));
    expect(ours!.status).to.equal(401);
    expect(ours).to.deep.equal(theirs);
    expect(answers[0].headers.get('www-authenticate')).to.equal(answers[1].headers.get('www-authenticate'));
  });

  it('answers overload as the other operations', async () => {
    const busy = new Refusal('unavailable', 'too many operations wait to be recorded; nothing was done');
    const { ask } = await set({ ledger: { accept: () => Promise.reject(busy) } });
    const response = await ask(NOTIFY, { body: NOTIFICATION });
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
  });
});

describe('GET /ledger/operations/{id}', () => {
  const set = scenes();
  const answered = async (state: OperationState | undefined) => {
    const { ask } = await set({ ledger: { operation: async () => state } });
    const response = await ask(GET);
    return [response.status, await response.json()];
  };

  it('says what became of an operation', async () => {
    expect(await answered({ is: 'pending' })).to.deep.equal([202, { state: 'pending' }]);
    const recorded = { is: 'recorded', receipt: ['{"transactionHash":', '"0x1"}'], entities: 1 } as const;
    expect(await answered(recorded)).to.deep.equal([200, { transactionHash: '0x1' }]);
    const failed = { is: 'failed', detail: 'out of funds' } as const;
    expect(await answered(failed)).to.deep.equal([200, { state: 'failed', detail: 'out of funds' }]);
    const [status, problem] = (await answered(undefined)) as [number, { detail: string }];
    expect(status).to.equal(404);
    expect(problem.detail).to.include('IDEMPOTENCY_TTL_S');
  });

  it('shows a tenant its own operations, and needs its token with LEDGER_AUTH=token', async () => {
    const asked: (string | undefined)[] = [];
    const ledger = {
      operation: async (_id: string, tenant: string | undefined) => void asked.push(tenant),
    };
    const tenant = { id: '0af1', name: 'acme' };
    const verify = async () => ({ tenant, expiresAt: 0 });
    const open = await set({ ledger });
    await open.ask(GET);
    await open.ask(GET, { headers: { 'ngsild-tenant': 'acme' } });
    const closed = await set({
      ledger,
      authenticated: authenticate({ verify, close: () => Promise.resolve() }),
    });
    expect((await closed.ask(GET)).status).to.equal(401);
    expect((await closed.ask(NOTIFY, { body: NOTIFICATION })).status).to.equal(401);
    await closed.ask(GET, { headers: { 'x-auth-token': 'good' } });
    expect(asked).to.deep.equal([undefined, 'acme', '0af1']);
  });

  it('has no parameters', async () => {
    const { ask } = await set();
    const problem = await problemIn(await ask(`${GET}?wait=1`));
    expect(problem.status).to.equal(400);
    expect(problem.detail).to.equal('"wait": is no parameter here; allowed: none');
  });
});
