import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { wires } from '../../http/wire/wire-client.js';
import { expectProblem } from './problem.js';
import { anyId, building, ENTITIES, openLedger, receiptIn, sharedLedger, UPSERT } from './scene.js';

const ONE = '/ngsi-ld/v1/entities/urn:a:1';
const LD = { 'content-type': 'application/ld+json' };

/** Requests that break a rule of what is sent, each with words of what it is told. */
const BAD_DATA: readonly (readonly [request: string, body: unknown, headers: object, word: string])[] = [
  [`POST ${ENTITIES}`, [], {}, 'body'],
  [`POST ${ENTITIES}`, {}, {}, 'id'],
  [`POST ${ENTITIES}`, { id: 'no uri', type: 'T' }, {}, 'id'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: '' }, {}, 'type'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: 'T', a: null }, {}, 'a'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: 'T', createdAt: 'yesterday' }, {}, 'createdAt'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: 'T', p: { type: 'GeoProperty', value: 1 } }, {}, 'p.value'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: 'T', r: { object: 'x y' } }, {}, 'r.object'],
  [`POST ${ENTITIES}`, { id: 'urn:a:1', type: 'T', 'a b': 1 }, {}, 'a b'],
  [`POST ${ENTITIES}`, '{"id":"urn:a:1","type":"T","n":1e400}', {}, 'n'],
  [`POST ${ENTITIES}`, building(), LD, '@context'],
  [`POST ${ENTITIES}`, { '@context': 'http://x/c', ...building() }, { ...LD, Link: '<x>' }, 'Link'],
  [`POST ${ENTITIES}`, building(), { 'Wallet-Type': 'vault' }, 'Wallet-Token and Wallet-Address missing'],
  [`POST ${ENTITIES}`, building(), { 'Wallet-Token': 't', 'Wallet-Address': 'http://x/' }, 'Wallet-Type'],
  [
    `POST ${ENTITIES}`,
    building(),
    { 'Wallet-Type': 'paper', 'Wallet-Token': 't', 'Wallet-Address': 'http://localhost/v1/e/accounts/a' },
    'Wallet-Type must be vault',
  ],
  [
    `POST ${ENTITIES}`,
    building(),
    { 'Wallet-Type': 'vault', 'Wallet-Token': 't', 'Wallet-Address': 'http://u:p@localhost/v1/e/accounts/a' },
    'Wallet-Address',
  ],
  [`POST ${ENTITIES}`, building(), { 'NGSILD-Tenant': 'a b' }, 'NGSILD-Tenant'],
  [`POST ${ENTITIES}`, building(), { 'Idempotency-Key': 'x'.repeat(256) }, 'Idempotency-Key'],
  [`POST ${ONE}/attrs`, {}, {}, 'body'],
  [`POST ${ONE}/attrs`, { id: 'urn:a:2', n: 1 }, {}, 'id'],
  ['POST /ngsi-ld/v1/entities/plain/attrs', { n: 1 }, {}, 'entityId'],
  ['GET /ngsi-ld/v1/entities/plain', undefined, {}, 'entityId'],
  ['GET /entity/plain', undefined, {}, 'entityId'],
  [`GET ${ONE}?options=count`, undefined, {}, 'options'],
  [`GET ${ENTITIES}?limit=101`, undefined, {}, 'limit'],
  [`GET ${ENTITIES}?offset=-1`, undefined, {}, 'offset'],
  [`GET ${ENTITIES}?idPattern=(`, undefined, {}, 'idPattern'],
  [`GET ${ENTITIES}?georel=within`, undefined, {}, 'coordinates'],
  [`GET ${ENTITIES}?q=`, undefined, {}, 'q'],
  [`GET ${ENTITIES}?type=a&type=b`, undefined, {}, 'type'],
  [`GET ${ENTITIES}?local=true`, undefined, {}, 'local'],
  [`GET ${ENTITIES}`, undefined, { 'Related-Entity': 'ann' }, 'Related-Entity'],
  [`POST ${UPSERT}`, [], {}, 'body'],
  [`POST ${UPSERT}`, [building(), { id: 'urn:a:1' }], {}, '[1].type'],
  [`POST ${UPSERT}?options=append`, [building()], {}, 'options'],
  ['POST /ledger/verify', { transactionHash: '0x1' }, {}, 'transactionHash'],
];

/** Every path, with the methods that it does not know, and those that it does. */
const METHODS: readonly (readonly [path: string, refused: readonly string[], allow: string])[] = [
  [ENTITIES, ['HEAD', 'PUT', 'DELETE', 'PATCH'], 'GET, OPTIONS, POST'],
  [`${ONE}/attrs`, ['GET', 'HEAD', 'PUT', 'DELETE'], 'OPTIONS, PATCH, POST'],
  [ONE, ['HEAD', 'POST', 'PATCH', 'DELETE', 'PUT'], 'GET, OPTIONS'],
  [UPSERT, ['GET', 'HEAD', 'PUT', 'DELETE'], 'OPTIONS, POST'],
  ['/entity', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
  ['/entity/urn:a:1', ['POST', 'PATCH', 'DELETE'], 'GET, HEAD, OPTIONS'],
  ['/ledger/verify', ['GET', 'HEAD', 'PUT'], 'OPTIONS, POST'],
];

describe('errors of the ledger', () => {
  const ledger = sharedLedger({ BODY_LIMIT: '20KiB', BATCH_LIMIT: '64KiB' });
  const dial = wires();
  let before: { readonly count: number; readonly head: unknown };
  const state = async () => ({
    count: await ledger().count(),
    head: await ledger().anvil.rpc('eth_blockNumber'),
  });
  beforeEach(async () => {
    before = await state();
  });
  afterEach('nothing was recorded', async () => {
    expect(await state()).to.deep.equal(before);
  });

  for (const [request, body, headers, word] of BAD_DATA) {
    const about = JSON.stringify(body ?? headers).slice(0, 60);
    it(`400 BadRequestData that names ${word}: ${request} ${about}`, async () => {
      const answer = await ledger().ask(request, body, headers as Record<string, string>);
      expectProblem(answer, 400, 'BadRequestData', word);
    });
  }

  it('400 InvalidRequest for what is no JSON, no UTF-8 or cut short', async () => {
    for (const body of ['', '{', '{"id":"urn:a:1",}', Buffer.from('{"id":"\xff"}', 'latin1')]) {
      for (const path of [ENTITIES, `${ONE}/attrs`, UPSERT, '/ledger/verify'])
        expectProblem(await ledger().ask(`POST ${path}`, body), 400, 'InvalidRequest');
    }
  });

  it('400 names every fault of a body at once', async () => {
    const body = { id: 'x', type: 'a b', createdAt: 1, n: null };
    const answer = await ledger().ask(`POST ${ENTITIES}`, body);
    expectProblem(answer, 400, 'BadRequestData', 'id', 'type', 'createdAt', 'n');
  });

  it('404 for unknown paths, and for entities without transactions', async () => {
    for (const path of ['/ngsi-ld', '/ngsi-ld/v1/subscriptions', '/ledger', '/ngsi-ld/v1/entityOperations'])
      expectProblem(await ledger().ask(`GET ${path}`), 404, 'ResourceNotFound', path);
    const id = anyId();
    expectProblem(await ledger().ask(`GET /entity/${id}`), 404, 'ResourceNotFound', 'no transaction');
    const transactionHash = `0x${'1'.repeat(64)}`;
    const unknown = await ledger().ask('POST /ledger/verify', { transactionHash, entity: building() });
    expectProblem(unknown, 404, 'ResourceNotFound');
  });

  for (const [path, refused, allow] of METHODS) {
    it(`405 for other methods of ${path}, with Allow; OPTIONS is 204`, async () => {
      for (const method of refused) {
        const answer = await ledger().ask(`${method} ${path}`);
        expect(answer.headers.get('allow'), method).to.equal(allow);
        if (method === 'HEAD') expect([answer.status, answer.text]).to.deep.equal([405, '']);
        else expectProblem(answer, 405, 'about:blank', method, allow);
      }
      const options = await ledger().ask(`OPTIONS ${path}`);
      expect([options.status, options.headers.get('allow')]).to.deep.equal([204, allow]);
    });
  }

  it('406 for an Accept without JSON, and 200 for those with it', async () => {
    for (const path of [ENTITIES, ONE, '/entity', '/entity/urn:a:1']) {
      for (const accept of ['text/html', 'application/xml;q=0.9', 'application/json;q=0'])
        expectProblem(await ledger().ask(`GET ${path}`, undefined, { accept }), 406, 'about:blank', 'Accept');
    }
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/html, application/ld+json']) {
      const { status, headers } = await ledger().ask('GET /entity', undefined, { accept });
      const type = accept.endsWith('ld+json') ? 'application/ld+json' : 'application/json';
      expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, type]);
      expect(headers.get('cache-control')).to.equal('no-store');
    }
  });

  it('413 for bodies over their limits, also once inflated', async () => {
    const big = { ...building(), text: 'x'.repeat(30_000) };
    expectProblem(await ledger().ask(`POST ${ENTITIES}`, big), 413, 'about:blank');
    expectProblem(await ledger().ask(`POST ${ONE}/attrs`, big), 413, 'about:blank');
    const batch = Array.from({ length: 3 }, () => big);
    expectProblem(await ledger().ask(`POST ${UPSERT}`, batch), 413, 'about:blank');
    const zipped = { 'content-encoding': 'gzip' };
    const packed = gzipSync(JSON.stringify(big));
    expectProblem(await ledger().ask(`POST ${ENTITIES}`, packed, zipped), 413, 'about:blank');
  });

  it('415 for other types and encodings of a body', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/geo+json',
      'application/merge-patch+json',
    ]) {
      for (const path of [ENTITIES, `${ONE}/attrs`, UPSERT, '/ledger/verify']) {
        const answer = await ledger().ask(`POST ${path}`, building(), { 'content-type': type });
        expectProblem(answer, 415, 'about:blank', 'application/json');
      }
    }
    const answer = await ledger().ask(`POST ${ENTITIES}`, building(), { 'content-encoding': 'br' });
    expectProblem(answer, 415, 'about:blank', 'gzip');
  });

  it('take over a sane X-Request-Id and make another for any other', async () => {
    const id = 'spec-4711-abcdef';
    for (const path of ['/entity', '/ngsi-ld/nothing']) {
      const asked = await ledger().ask(`GET ${path}`, undefined, { 'x-request-id': id });
      expect(asked.headers.get('x-request-id')).to.equal(id);
      const made = await ledger().ask(`GET ${path}`, undefined, { 'x-request-id': 'a b\tc' });
      expect(made.headers.get('x-request-id')).to.match(/^[\w-]{8,}$/);
    }
  });

  it('refuse a header of the wallet that comes twice', async () => {
    const wire = await dial(Number(new URL(ledger().url).port));
    const lines = ['POST /ngsi-ld/v1/entities HTTP/1.1', 'Host: localhost', 'Content-Length: 2'];
    const twice = ['Wallet-Token: a', 'Wallet-Token: b', 'Content-Type: application/json'];
    wire.write([...lines, ...twice, '', '{}'].join('\r\n'));
    const { status, body } = await wire.response();
    expect([status, (JSON.parse(body) as { detail: string }).detail]).to.deep.equal([
      400,
      'Wallet-Token must be given once, not 2 times',
    ]);
  });
});

describe('a batch of too many entities', () => {
  it('is 413, and one of the most that there may be is not', async () => {
    const ledger = await openLedger();
    try {
      const batch = (count: number) => Array.from({ length: count }, () => ({ id: 'urn:a:1', type: 'T' }));
      expectProblem(await ledger.ask(`POST ${UPSERT}`, batch(25_001)), 413, 'about:blank', '25000');
      expect(await ledger.count()).to.equal(0);
    } finally {
      await ledger.close();
    }
  });
});

describe('no default account', () => {
  const ledger = sharedLedger({ DEFAULT_ACCOUNT: 'off' });

  it('answers 401 with the headers to send to callers without a wallet, and serves callers with one', async () => {
    for (const [request, body] of [
      [`POST ${ENTITIES}`, building()],
      [`POST ${ONE}/attrs`, { n: 1 }],
      [`POST ${UPSERT}`, [building()]],
      [`GET ${ENTITIES}`, undefined],
      [`GET ${ONE}`, undefined],
    ] as const) {
      const answer = await ledger().ask(request, body);
      expectProblem(answer, 401, 'about:blank', 'Wallet-Type', 'Wallet-Address', 'Wallet-Token');
      expect(answer.headers.get('www-authenticate')).to.match(/^Wallet /);
    }
    expect(await ledger().count()).to.equal(0);
    const { headers, address } = await ledger().account();
    expect(receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(), headers)).from).to.equal(address);
  });
});
