import { expect } from 'chai';
import { authenticate } from '../../../src/http/authentication.js';
import { problemIn, scenes } from './scene.js';

const store = { id: 'urn:ngsi-ld:Store:1', type: 'Store' };
/** One request for each operation. */
const requests: readonly (readonly [request: string, body: unknown])[] = [
  ['POST /ngsi-ld/v1/entities', store],
  ['GET /ngsi-ld/v1/entities', undefined],
  ['POST /ngsi-ld/v1/entities/urn:a:1/attrs', { a: 1 }],
  ['GET /ngsi-ld/v1/entities/urn:a:1', undefined],
  ['POST /ngsi-ld/v1/entityOperations/upsert', [store]],
  ['GET /entity', undefined],
  ['GET /entity/urn:a:1', undefined],
];

describe('the tenants of callers with tokens', () => {
  const set = scenes();
  const tenant = { id: '0af1', name: 'acme' };
  const verify = async () => ({ tenant, expiresAt: 0 });
  const authenticated = authenticate({ verify, close: () => Promise.resolve() });

  it('are those of their tokens by default', async () => {
    for (const [request, body] of requests) {
      const { ask, recorded, listed, traced } = await set({ authenticated });
      await ask(request, { body, headers: { 'x-auth-token': 'good' } });
      const done = [...recorded.map(({ operation }) => operation), ...listed, ...traced];
      expect(
        done.map((it) => it.tenant),
        request,
      ).to.deep.equal([tenant.id]);
    }
  });

  it('have Idempotency-Keys of their own, the same by id and by name of the tenant', async () => {
    const other = { id: '0af2', name: 'acme' };
    const both = async (token: string) => ({
      tenant: token === 'good' ? tenant : other,
      expiresAt: 0,
    });
    const { ask, recorded } = await set({
      authenticated: authenticate({ verify: both, close: () => Promise.resolve() }),
    });
    const key = { 'idempotency-key': 'k' };
    for (const [token, named] of [
      ['good', {}],
      ['good', { 'ngsild-tenant': 'acme' }],
      ['good', { 'ngsild-tenant': '0af1' }],
      ['other', { 'ngsild-tenant': 'acme' }],
    ] as [string, Record<string, string>][]) {
      await ask('POST /ngsi-ld/v1/entities', {
        body: store,
        headers: { 'x-auth-token': token, ...key, ...named },
      });
    }
    const keys = recorded.map(({ by }) => by.key!);
    expect(new Set(keys.slice(0, 3).map((it) => JSON.stringify(it)))).to.have.property('size', 1);
    expect(keys[3]!.name).not.to.equal(keys[0]!.name);
  });

  for (const id of ['*', 'a/b', 'urn:acme', 'x'.repeat(65)]) {
    it(`cannot have the id ${id.slice(0, 20)}`, async () => {
      const named = async () => ({ tenant: { id, name: 'acme' }, expiresAt: 0 });
      const { ask, recorded, listed, traced } = await set({
        authenticated: authenticate({ verify: named, close: () => Promise.resolve() }),
      });
      for (const [request, body] of requests) {
        for (const tenantHeader of [{}, { 'ngsild-tenant': 'acme' }] as Record<string, string>[]) {
          const response = await ask(request, {
            body,
            headers: { 'x-auth-token': 'good', ...tenantHeader },
          });
          expect(response.status, request).to.equal(403);
          expect((await problemIn(response)).detail).to.contain('its id must match [A-Za-z0-9_-]{1,64}');
        }
      }
      expect([...recorded, ...listed, ...traced]).to.deep.equal([]);
    });
  }
});
