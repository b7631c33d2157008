import { expect } from 'chai';
import { wires } from '../../http/wire/wire-client.js';
import { problemIn, scenes, silent } from './scene.js';

describe('the headers of the ledger', () => {
  const set = scenes();
  const dial = wires();

  for (const name of [
    'Wallet-Type',
    'Wallet-Token',
    'Wallet-Address',
    'NGSILD-Tenant',
    'Link',
    'Idempotency-Key',
  ]) {
    it(`${name} must not come twice`, async () => {
      const { port, recorded } = await set();
      const wire = await dial(port);
      wire.write(`GET /ngsi-ld/v1/entities HTTP/1.1\r\nHost: a\r\n${name}: a\r\n${name}: a\r\n\r\n`);
      const { status, body } = await wire.response();
      expect([status, recorded]).to.deep.equal([400, []]);
      expect(body).to.contain(`${name} must be given once, not 2 times`);
    });
  }

  it('Related-Entity must come once and be a URI', async () => {
    const { port, ask, recorded } = await set();
    const wire = await dial(port);
    const twice = 'Related-Entity: urn:a:1\r\nrelated-entity: urn:a:1\r\n';
    wire.write(`GET /ngsi-ld/v1/entities HTTP/1.1\r\nHost: a\r\n${twice}\r\n`);
    expect((await wire.response()).status).to.equal(400);
    const none = { 'related-entity': 'ann' };
    expect((await ask('GET /ngsi-ld/v1/entities', { headers: none })).status).to.equal(400);
    expect(recorded).to.deep.equal([]);
  });

  for (const [name, values] of [
    ['NGSILD-Tenant', ['', 'a b', 'ä', 'a'.repeat(65), 'a,b', '/']],
    ['Idempotency-Key', ['', 'ä', 'a\tb', 'a'.repeat(256)]],
    ['Link', ['ä', 'a\tb']],
  ] as const) {
    for (const value of values) {
      it(`${name} cannot be ${JSON.stringify(value.slice(0, 20))}`, async () => {
        const { ask, recorded } = await set();
        const response = await ask('GET /ngsi-ld/v1/entities', { headers: { [name]: value } });
        expect([response.status, recorded]).to.deep.equal([400, []]);
        expect((await problemIn(response)).detail).to.match(new RegExp(`^${name} must`));
      });
    }
  }

  it('of the wallet and Link may be empty, as if absent', async () => {
    const { ask, recorded } = await set();
    const headers = { link: '', 'wallet-type': '', 'wallet-token': '', 'wallet-address': '' };
    expect((await ask('GET /ngsi-ld/v1/entities', { headers })).status).to.equal(200);
    expect(recorded[0]!.operation.link).to.equal(undefined);
    expect(recorded[0]!.by.wallet).to.equal(silent);
  });
});
