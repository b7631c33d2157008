import { expect } from 'chai';
import { wires } from '../../http/wire/wire-client.js';
import { problemIn, scenes } from './scene.js';

const page = encodeURIComponent('http://example.org/a/b');

/** Ids in paths, each with the decoded id. */
const ids: readonly (readonly [inPath: string, id: string])[] = [
  ['urn:ngsi-ld:Store:1', 'urn:ngsi-ld:Store:1'],
  ['urn%3Angsi-ld%3AStore%3A1', 'urn:ngsi-ld:Store:1'],
  ['http://example.org/a/b', 'http://example.org/a/b'],
  [page, 'http://example.org/a/b'],
  ['http:%2F%2fexample.org/a', 'http://example.org/a'],
  ['http://example.org/attrs/b', 'http://example.org/attrs/b'],
  ['http://example.org/%61ttrs%2F', 'http://example.org/attrs/'],
  ['http://example.org/a//b', 'http://example.org/a//b'],
  ['http://example.org%2Fattrs', 'http://example.org/attrs'],
  ['http://example.org/a.json', 'http://example.org/a.json'],
  ['http://example.org/a%2520b', 'http://example.org/a%20b'],
  ['http://example.org/%C3%A4', 'http://example.org/ä'],
  ['urn:a:%3Fq%23f', 'urn:a:?q#f'],
  ['MAILTO:ann@example.org', 'MAILTO:ann@example.org'],
];

describe('the paths of the ledger', () => {
  const set = scenes();
  const dial = wires();

  for (const [inPath, id] of ids) {
    it(`hold ${inPath} for ${id}`, async () => {
      const { port, recorded, traced } = await set();
      const wire = await dial(port);
      const head = 'HTTP/1.1\r\nHost: a\r\n';
      for (const slash of ['', '/']) {
        wire.write(`GET /ngsi-ld/v1/entities/${inPath}${slash} ${head}\r\n`);
        expect((await wire.response()).status).to.equal(200);
        wire.write(
          `PATCH /ngsi-ld/v1/entities/${inPath}/attrs${slash} ${head}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`,
        );
        expect((await wire.response()).status).to.equal(200);
        wire.write(`HEAD /entity/${inPath}${slash} ${head}\r\n`);
        expect((await wire.response()).status).to.equal(200);
      }
      const named = [
        ...recorded.flatMap(({ operation }) => operation.entities),
        ...traced.map((t) => t.entityId),
      ];
      expect(named).to.deep.equal(Array.from({ length: 6 }, () => id));
    });
  }

  it('ending in /attrs are the attributes of an entity, whose id may end in /attrs too', async () => {
    const { ask, recorded } = await set();
    await ask('POST /ngsi-ld/v1/entities/http://example.org/attrs/attrs', { body: { a: 1 } });
    expect(recorded[0]!.operation.entities).to.deep.equal(['http://example.org/attrs']);
    const read = await ask('GET /ngsi-ld/v1/entities/http://example.org/attrs');
    expect([read.status, read.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, PATCH, POST']);
  });

  for (const path of [
    '/ngsi-ld/v1/entities/none',
    '/ngsi-ld/v1/entities/attrs',
    '/ngsi-ld/v1/entities//',
    '/ngsi-ld/v1/entities/a%20:b',
    '/ngsi-ld/v1/entities/urn:a%00b',
    '/ngsi-ld/v1/entities/%',
    '/ngsi-ld/v1/entities/urn:a:%zz',
    '/ngsi-ld/v1/entities/urn:a:%c3%28',
    '/entity/none',
    '/entity/%ff',
    `/entity/urn:${'a'.repeat(2100)}`,
  ]) {
    it(`refuse ${path.slice(0, 50)} with 400`, async () => {
      const { ask, recorded, traced } = await set();
      const response = await ask(`GET ${path}`);
      expect(response.status).to.equal(400);
      expect((await problemIn(response)).type).to.match(/\/BadRequestData$/);
      expect([...recorded, ...traced]).to.deep.equal([]);
    });
  }

  it('refuse an update without an id with 400', async () => {
    const { ask } = await set();
    const response = await ask('POST /ngsi-ld/v1/entities//attrs', { body: { a: 1 } });
    expect(response.status).to.equal(400);
    expect((await problemIn(response)).detail).to.contain('entityId in the path must be a URI');
  });

  const methods: readonly (readonly [path: string, allow: string])[] = [
    ['/ngsi-ld/v1/entities', 'GET, OPTIONS, POST'],
    ['/ngsi-ld/v1/entities/', 'GET, OPTIONS, POST'],
    ['/ngsi-ld/v1/entities/urn:a:1', 'GET, OPTIONS'],
    ['/ngsi-ld/v1/entities/urn:a:1/attrs', 'OPTIONS, PATCH, POST'],
    ['/ngsi-ld/v1/entities/http://example.org/a/attrs/', 'OPTIONS, PATCH, POST'],
    ['/ngsi-ld/v1/entityOperations/upsert', 'OPTIONS, POST'],
    ['/entity', 'GET, HEAD, OPTIONS'],
    ['/entity/', 'GET, HEAD, OPTIONS'],
    ['/entity/urn:a:1', 'GET, HEAD, OPTIONS'],
  ];
  for (const [path, allow] of methods) {
    it(`allow ${allow} at ${path} only`, async () => {
      const { ask, recorded } = await set();
      const options = await ask(`OPTIONS ${path}`);
      expect([options.status, options.headers.get('allow')]).to.deep.equal([204, allow]);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        if (allow.split(', ').includes(method)) continue;
        const response = await ask(`${method} ${path}`);
        expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, allow]);
        expect(response.headers.get('content-type'), method).to.equal('application/problem+json');
      }
      expect(recorded).to.deep.equal([]);
    });
  }

  it('reject unknown methods', async () => {
    const { port } = await set();
    const wire = await dial(port);
    wire.write('BREW /entity/urn:a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    const { status, headers, body } = await wire.response();
    expect([status, headers['allow']]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    expect(JSON.parse(body)).to.include({ type: 'about:blank', title: 'Method Not Allowed' });
  });

  for (const path of [
    '/ngsi-ld',
    '/ngsi-ld/v1',
    '/ngsi-ld/v1/Entities',
    '/ngsi-ld/v1/entityOperations/create',
    '/ngsi-ld/v2/entities',
    '/ledger',
    '/ledger/none',
  ]) {
    it(`do not include ${path}`, async () => {
      const { ask } = await set();
      const response = await ask(`GET ${path}`);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([
        404,
        'application/problem+json',
      ]);
      expect(await problemIn(response)).to.deep.equal({
        type: 'https://uri.etsi.org/ngsi-ld/errors/ResourceNotFound',
        title: 'Resource not found',
        status: 404,
        detail: `no such path: "${path}"; / names what there is`,
      });
    });
  }
});
