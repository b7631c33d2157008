import { expect } from 'chai';
import { createOperation, idempotencyContent } from '../../../src/ledger/content/operations.js';
import { scenes } from './scene.js';

const store = { id: 'urn:ngsi-ld:Store:1', type: 'Store', name: { type: 'Property', value: 'a' } };
const other = { ...store, id: 'urn:ngsi-ld:Store:2' };
const link = '<http://context.example/c.jsonld>; rel="http://www.w3.org/ns/json-ld#context"';

describe('the operations of the ledger', () => {
  const set = scenes();

  it('answer with the receipt: JSON with no-store', async () => {
    const { ask } = await set();
    for (const [request, body] of [
      ['POST /ngsi-ld/v1/entities/', store],
      ['GET /ngsi-ld/v1/entities/', undefined],
      ['POST /ngsi-ld/v1/entities/urn:a:1/attrs', { a: 1 }],
      ['PATCH /ngsi-ld/v1/entities/urn:a:1/attrs', { a: 1 }],
      ['GET /ngsi-ld/v1/entities/urn:a:1', undefined],
      ['POST /ngsi-ld/v1/entityOperations/upsert', [store]],
    ] as const) {
      const response = await ask(request, { body });
      expect([response.status, response.headers.get('cache-control')], request).to.deep.equal([
        200,
        'no-store',
      ]);
      expect(response.headers.get('content-type'), request).to.equal('application/json; charset=utf-8');
      expect(response.headers.get('content-length'), request).to.equal('25');
      expect(await response.text(), request).to.equal('{"transactionHash":"0x1"}');
    }
  });

  it('create: the entity, with tenant and Link', async () => {
    const { ask, recorded } = await set();
    await ask('POST /ngsi-ld/v1/entities', { body: store, headers: { link, 'ngsild-tenant': 'acme' } });
    const expected = createOperation(store, { tenant: 'acme', link, ldJson: false });
    expect(recorded[0]!.operation).to.deep.equal(expected);
    expect(recorded[0]!.by.key).to.equal(undefined);
  });

  it('create: JSON-LD has its context in the body, not in a Link', async () => {
    const { ask, recorded } = await set();
    const headers = { 'content-type': 'application/ld+json' };
    const body = { '@context': 'http://context.example', ...store };
    expect((await ask('POST /ngsi-ld/v1/entities', { body, headers })).status).to.equal(200);
    expect((await ask('POST /ngsi-ld/v1/entities', { body: store, headers })).status).to.equal(400);
    const linked = { ...headers, link };
    expect((await ask('POST /ngsi-ld/v1/entities', { body, headers: linked })).status).to.equal(400);
    expect(recorded).to.have.length(1);
  });

  it('query: every parameter, the Link and Related-Entity', async () => {
    const { ask, recorded } = await set();
    const query = 'type=Store&q=a%3D%3D%22b%20c%22&idPattern=%5Eurn&limit=5&offset=0&options=keyValues';
    const headers = { link, 'related-entity': 'urn:user:ann' };
    expect((await ask(`GET /ngsi-ld/v1/entities?${query}`, { headers })).status).to.equal(200);
    const [{ operation }] = recorded as [(typeof recorded)[0]];
    expect(operation).to.include({ name: 'query', link });
    expect(operation.entities).to.deep.equal(['urn:user:ann']);
    expect(operation.query).to.deep.equal({
      type: 'Store',
      q: 'a=="b c"',
      idPattern: '^urn',
      limit: 5,
      offset: 0,
      options: 'keyValues',
      link,
    });
  });

  it('query: Related-Entity beyond ASCII, sent as UTF-8', async () => {
    const { ask, recorded } = await set();
    const related = Buffer.from('urn:user:jürgen').toString('latin1');
    await ask('GET /ngsi-ld/v1/entities', { headers: { 'related-entity': related } });
    expect(recorded[0]!.operation.entities).to.deep.equal(['urn:user:jürgen']);
    const latin1 = { 'related-entity': 'urn:user:jürgen' };
    expect((await ask('GET /ngsi-ld/v1/entities', { headers: latin1 })).status).to.equal(400);
  });

  it('query: no parameter', async () => {
    const { ask, recorded } = await set();
    await ask('GET /ngsi-ld/v1/entities/?');
    expect(recorded[0]!.operation.query).to.deep.equal({});
  });

  it('query: a plus is a blank, an empty pair is ignored, and the value begins after the first =', async () => {
    const { ask, recorded } = await set();
    await ask('GET /ngsi-ld/v1/entities?&q=a==b+c%2Bd&');
    expect(recorded[0]!.operation.query).to.deep.equal({ q: 'a==b c+d' });
  });

  for (const query of [
    'q=%',
    'q=%zz',
    'q=%ff',
    '%c3%28=a',
    'q=a&q=b',
    'type=',
    'limit=0',
    'unknown=1',
    'q',
  ]) {
    it(`query: ${query} is refused`, async () => {
      const { ask, recorded } = await set();
      expect((await ask(`GET /ngsi-ld/v1/entities?${query}`)).status).to.equal(400);
      expect(recorded).to.deep.equal([]);
    });
  }

  it('update: the fragment of the entity in the path', async () => {
    const { ask, recorded } = await set();
    for (const method of ['POST', 'PATCH']) {
      await ask(`${method} /ngsi-ld/v1/entities/urn:a:1/attrs/`, {
        body: { a: { type: 'Property', value: 1 } },
      });
    }
    expect(recorded.map(({ operation }) => [operation.name, ...operation.entities])).to.deep.equal([
      ['update', 'urn:a:1'],
      ['update', 'urn:a:1'],
    ]);
    const whole = { body: store };
    expect((await ask('POST /ngsi-ld/v1/entities/urn:ngsi-ld:Store:1/attrs', whole)).status).to.equal(200);
    expect((await ask('POST /ngsi-ld/v1/entities/urn:ngsi-ld:Store:2/attrs', whole)).status).to.equal(400);
  });

  it('retrieve: the parameters, and the id of the path', async () => {
    const { ask, recorded } = await set();
    await ask('GET /ngsi-ld/v1/entities/urn:a:1?attrs=a,b&options=sysAttrs');
    expect(recorded[0]!.operation).to.include({ name: 'retrieve' });
    expect(recorded[0]!.operation.query).to.deep.equal({
      attrs: 'a,b',
      options: 'sysAttrs',
      entityId: 'urn:a:1',
    });
  });

  for (const [query, name] of [
    ['', 'upsert'],
    ['?options=update', 'upsert'],
    ['?options=replace', 'replace'],
  ]) {
    it(`batch${query}: the entities, as ${name}`, async () => {
      const { ask, recorded } = await set();
      await ask(`POST /ngsi-ld/v1/entityOperations/upsert${query}`, { body: [store, other] });
      expect(recorded[0]!.operation).to.include({ name });
      expect(recorded[0]!.operation.entities).to.deep.equal([store.id, other.id]);
    });
  }

  for (const query of ['options=none', 'options=', 'options=update&options=replace', 'options=%']) {
    it(`batch: ${query} is refused`, async () => {
      const { ask } = await set();
      const response = await ask(`POST /ngsi-ld/v1/entityOperations/upsert?${query}`, { body: [store] });
      expect(response.status).to.equal(400);
    });
  }

  it('batch: larger than the limit of other bodies', async () => {
    const { ask, recorded } = await set({ bodyLimit: 2000, batchLimit: 200_000 });
    const batch = Array.from({ length: 500 }, (_, i) => ({
      ...store,
      id: `urn:ngsi-ld:Store:${i}`,
      x: 'x'.repeat(200),
    }));
    expect((await ask('POST /ngsi-ld/v1/entityOperations/upsert', { body: batch })).status).to.equal(200);
    expect(recorded[0]!.operation.entities).to.have.length(500);
    expect(
      (await ask('POST /ngsi-ld/v1/entities', { body: { ...store, x: 'x'.repeat(2000) } })).status,
    ).to.equal(413);
    const more = [...batch, ...batch];
    expect((await ask('POST /ngsi-ld/v1/entityOperations/upsert', { body: more })).status).to.equal(413);
  });

  it('pass on the Idempotency-Key with its content: path id, Related-Entity and body', async () => {
    const { ask, recorded } = await set();
    const headers = { 'idempotency-key': 'k 1', 'related-entity': 'urn:user:ann' };
    await ask('POST /ngsi-ld/v1/entities', { body: store, headers });
    await ask('GET /ngsi-ld/v1/entities', { headers });
    await ask('POST /ngsi-ld/v1/entities/urn:a:1/attrs', { body: { a: 1 }, headers });
    await ask('GET /ngsi-ld/v1/entities/urn:a:1', { headers });
    await ask('POST /ngsi-ld/v1/entityOperations/upsert', { body: [store], headers });
    const more = [
      {},
      { relatedEntity: 'urn:user:ann' },
      { entityId: 'urn:a:1' },
      { entityId: 'urn:a:1' },
      {},
    ];
    expect(recorded.map(({ by }) => by.key)).to.deep.equal(
      recorded.map(({ operation }, i) => ({
        name: 'k 1',
        content: idempotencyContent(operation, more[i]!),
      })),
    );
  });
});
