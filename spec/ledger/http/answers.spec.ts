import { expect } from 'chai';
import { Refusal, type RefusalCode } from '../../../src/errors.js';
import { ChainMisfit, ChainUnavailable } from '../../../src/chain/port.js';
import { wires } from '../../http/wire/wire-client.js';
import { piecesOf, problemIn, scenes } from './scene.js';

const ETSI = 'https://uri.etsi.org/ngsi-ld/errors/';

describe('the answers of the ledger', () => {
  const set = scenes();
  const dial = wires();

  it('list the entities in pages, of all tenants or of one', async () => {
    const { ask, listed } = await set();
    const response = await ask('GET /entity/?offset=20&limit=10', { headers: { 'ngsild-tenant': 'acme' } });
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(await response.json()).to.deep.equal({ offset: 0, records: [] });
    await ask('GET /entity');
    expect(listed).to.deep.equal([
      { page: { offset: 20, limit: 10 }, tenant: 'acme' },
      { page: { offset: 0, limit: 1000 }, tenant: undefined },
    ]);
  });

  it('list the transactions of an entity, all or a page', async () => {
    const { ask, traced } = await set();
    expect(await (await ask('GET /entity/urn:a:1')).json()).to.deep.equal({ txDetails: [] });
    await ask('GET /entity/urn:a:1?limit=5000', { headers: { 'ngsild-tenant': 'acme' } });
    await ask('GET /entity/urn:a:1?offset=3');
    expect(traced).to.deep.equal([
      { entityId: 'urn:a:1', page: {}, tenant: undefined },
      { entityId: 'urn:a:1', page: { limit: 5000 }, tenant: 'acme' },
      { entityId: 'urn:a:1', page: { offset: 3 }, tenant: undefined },
    ]);
  });

  for (const path of [
    '/entity?limit=0',
    '/entity?limit=1001',
    '/entity?limit=1e3',
    '/entity?limit=',
    '/entity?offset=-1',
    '/entity?offset=1.5',
    '/entity?offset=99999999999999999',
    '/entity?offset=1&offset=2',
    '/entity?page=1',
    '/entity?limit=%',
    '/entity/urn:a:1?limit=0',
    '/entity/urn:a:1?offset=x',
    '/entity/urn:a:1?attrs=a',
  ]) {
    it(`refuse ${path}`, async () => {
      const { ask, listed, traced } = await set();
      const response = await ask(`GET ${path}`);
      expect([response.status, listed, traced]).to.deep.equal([400, [], []]);
      expect((await problemIn(response)).type).to.equal(`${ETSI}BadRequestData`);
    });
  }

  it('are 404 for an entity without transactions, with the tenant', async () => {
    const { ask } = await set({ ledger: { transactions: () => Promise.resolve(undefined) } });
    const response = await ask('GET /entity/urn:a:1', { headers: { 'ngsild-tenant': 'acme' } });
    expect(response.status).to.equal(404);
    expect(await problemIn(response)).to.include({
      type: `${ETSI}ResourceNotFound`,
      detail: 'no transaction of the tenant acme is recorded for this entity',
    });
  });

  it('are streamed if they are long, receipts and lists, and end with the connection', async () => {
    const piece = 'x'.repeat(100_000);
    let given = 0;
    function* receipt() {
      for (let i = 0; i < 500; i += 1) {
        given += 1;
        yield piece;
      }
    }
    const { ask, port } = await set({
      ledger: {
        record: () => Promise.resolve(receipt()),
        entities: () => Promise.resolve(piecesOf(...receipt())),
      },
    });
    const wire = await dial(port);
    wire.socket.pause();
    wire.write('GET /ngsi-ld/v1/entities HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await (await ask('GET /entity')).text()).length).to.equal(50_000_000);
    expect(given).to.be.greaterThan(500).and.lessThan(1000);
    given = 0;
    wire.socket.destroy();
    expect((await (await ask('GET /ngsi-ld/v1/entities')).text()).length).to.equal(50_000_000);
  });

  it('to HEAD end the reading', async () => {
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    async function* endless() {
      try {
        for (;;) yield 'x'.repeat(1000);
      } finally {
        ended();
      }
    }
    const { ask } = await set({ ledger: { entities: () => Promise.resolve(endless()) } });
    const response = await ask('HEAD /entity');
    expect([response.status, await response.text()]).to.deep.equal([200, '']);
    await end;
  });

  it('that fail before their first byte are problems', async () => {
    // oxlint-disable-next-line require-yield
    async function* failing(): AsyncGenerator<string> {
      throw new Refusal('unavailable', 'the store is away');
    }
    const { ask } = await set({ ledger: { entities: () => Promise.resolve(failing()) } });
    const response = await ask('GET /entity');
    expect([response.status, response.headers.get('cache-control')]).to.deep.equal([503, 'no-store']);
  });

  describe('to Accept', () => {
    for (const [accept, type] of [
      ['*/*', 'application/json; charset=utf-8'],
      ['application/*', 'application/json; charset=utf-8'],
      ['application/json', 'application/json; charset=utf-8'],
      ['application/ld+json, application/json;q=0.1', 'application/json; charset=utf-8'],
      ['application/ld+json', 'application/ld+json'],
      ['text/html, application/ld+json;q=0.5', 'application/ld+json'],
    ]) {
      it(`${accept} are ${type}`, async () => {
        const { ask } = await set();
        for (const path of ['/ngsi-ld/v1/entities', '/entity', '/entity/urn:a:1']) {
          const response = await ask(`GET ${path}`, { headers: { accept: accept! } });
          expect(response.headers.get('content-type')).to.equal(type);
        }
      });
    }

    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'application/geo+json']) {
      it(`${accept} are 406, as problems`, async () => {
        const { ask, recorded } = await set();
        const response = await ask('GET /ngsi-ld/v1/entities', { headers: { accept } });
        expect([response.status, recorded]).to.deep.equal([406, []]);
        const { type, detail } = await problemIn(response);
        expect([type, detail]).to.deep.equal([
          'about:blank',
          `Accept must allow application/json or application/ld+json, not only "${accept}"`,
        ]);
      });
    }
  });

  describe('to what the ledger refuses', () => {
    const refusals: readonly (readonly [RefusalCode, number, string, string])[] = [
      ['unreadable', 400, `${ETSI}InvalidRequest`, 'Invalid request'],
      ['bad-request', 400, `${ETSI}BadRequestData`, 'Bad request data'],
      ['not-found', 404, `${ETSI}ResourceNotFound`, 'Resource not found'],
      ['internal', 500, `${ETSI}InternalError`, 'Internal error'],
      ['forbidden', 403, 'about:blank', 'Forbidden'],
      ['unprocessable', 422, 'about:blank', 'Unprocessable Entity'],
      ['bad-gateway', 502, 'about:blank', 'Bad Gateway'],
      ['unavailable', 503, 'about:blank', 'Service Unavailable'],
    ];
    for (const [code, status, type, title] of refusals) {
      it(`as ${code} are ${status} of ${type}`, async () => {
        const { ask } = await set({ ledger: { record: () => Promise.reject(new Refusal(code, 'why')) } });
        const response = await ask('GET /ngsi-ld/v1/entities');
        expect(response.status).to.equal(status);
        expect(response.headers.get('content-type')).to.equal('application/problem+json');
        expect(response.headers.get('cache-control')).to.equal('no-store');
        expect(await problemIn(response)).to.deep.equal({ type, title, status, detail: 'why' });
        expect(response.headers.get('retry-after')).to.equal(code === 'unavailable' ? '1' : null);
      });
    }

    it('after LEDGER_WAIT_S name the transaction, which goes on', async () => {
      const members = { transactionHash: '0xab' };
      const late = new Refusal('gateway-timeout', 'it goes on', { members });
      const { ask } = await set({ ledger: { record: () => Promise.reject(late) } });
      const response = await ask('GET /ngsi-ld/v1/entities');
      expect(await problemIn(response)).to.deep.equal({
        type: 'about:blank',
        title: 'Gateway Timeout',
        status: 504,
        detail: 'it goes on',
        transactionHash: '0xab',
      });
    });

    it('to a bug are 500 and reveal nothing', async () => {
      const { ask } = await set({ ledger: { record: () => Promise.reject(new TypeError('secret')) } });
      const response = await ask('GET /ngsi-ld/v1/entities');
      const { type, detail } = await problemIn(response);
      expect([response.status, type]).to.deep.equal([500, `${ETSI}InternalError`]);
      expect(detail).not.to.contain('secret');
    });

    it('without the chain are 503, with the wrong chain 502', async () => {
      const away = await set({
        ledger: { record: () => Promise.reject(new ChainUnavailable('http://u:p@node')) },
      });
      const response = await away.ask('GET /ngsi-ld/v1/entities');
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect((await problemIn(response)).detail)
        .to.contain('the node of the chain')
        .and.not.contain('u:p');
      const misfit = new ChainMisfit('chain id 1, not 5');
      const wrong = await set({ ledger: { record: () => Promise.reject(misfit) } });
      const refused = await wrong.ask('GET /ngsi-ld/v1/entities');
      expect([refused.status, (await problemIn(refused)).detail]).to.deep.equal([502, 'chain id 1, not 5']);
    });
  });
});
