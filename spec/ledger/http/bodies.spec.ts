import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { problemIn, scenes } from './scene.js';

const ETSI = 'https://uri.etsi.org/ngsi-ld/errors/';
const entity = '{"id":"urn:a:1","type":"T"}';

/** The requests with a body, each with the form of an entity in it. */
const requests: readonly (readonly [request: string, wrap: (text: string) => string])[] = [
  ['POST /ngsi-ld/v1/entities', (text) => text],
  ['PATCH /ngsi-ld/v1/entities/urn:a:1/attrs', (text) => text],
  ['POST /ngsi-ld/v1/entityOperations/upsert', (text) => `[${text}]`],
];

describe('the bodies of the ledger', () => {
  const set = scenes();

  for (const [request, wrap] of requests) {
    describe(`with ${request}`, () => {
      for (const type of ['application/json', 'application/json; charset=UTF-8', 'Application/JSON']) {
        it(`may be ${type}`, async () => {
          const { ask } = await set();
          const response = await ask(request, {
            body: wrap('{"id":"urn:a:1","type":"T","a":1}'),
            headers: { 'content-type': type },
          });
          expect(response.status).to.equal(200);
        });
      }

      it('may be JSON-LD with its context', async () => {
        const { ask } = await set();
        const body = wrap('{"@context":[],"id":"urn:a:1","type":"T","a":1}');
        const headers = { 'content-type': 'application/ld+json; charset=utf-8' };
        expect((await ask(request, { body, headers })).status).to.equal(200);
      });

      const isPatch = request.startsWith('PATCH');
      const patches = isPatch ? [] : ['application/merge-patch+json'];
      const allowed = isPatch
        ? 'application/json, application/ld+json or application/merge-patch+json'
        : 'application/json or application/ld+json';

      for (const type of ['text/plain', ...patches, 'application/geo+json', 'application/ld+jsonx']) {
        it(`are refused as ${type} with 415`, async () => {
          const { ask, recorded } = await set();
          const response = await ask(request, { body: wrap(entity), headers: { 'content-type': type } });
          expect([response.status, recorded]).to.deep.equal([415, []]);
          expect(await problemIn(response)).to.deep.equal({
            type: 'about:blank',
            title: 'Unsupported Media Type',
            status: 415,
            detail: `Content-Type must be ${allowed}, in UTF-8 if it says so; it is "${type}"`,
          });
        });
      }

      it('are refused in another charset with 400', async () => {
        const { ask } = await set();
        const headers = { 'content-type': 'application/json; charset=latin1' };
        expect((await ask(request, { body: wrap(entity), headers })).status).to.equal(400);
      });

      for (const body of ['{', '', 'no', '{"a":1,}', `${entity}]`]) {
        it(`are refused unless they are JSON: ${JSON.stringify(body)}`, async () => {
          const { ask, recorded } = await set();
          const response = await ask(request, { body });
          expect([response.status, recorded]).to.deep.equal([400, []]);
          expect((await problemIn(response)).type).to.equal(`${ETSI}InvalidRequest`);
        });
      }

      it('are refused if they break a rule, with every place', async () => {
        const { ask, recorded } = await set();
        const response = await ask(request, { body: wrap('{"id":"urn:a:1","type":"T","a":null,"b":null}') });
        expect([response.status, recorded]).to.deep.equal([400, []]);
        const { type, detail } = await problemIn(response);
        expect(type).to.equal(`${ETSI}BadRequestData`);
        expect(detail).to.match(/a: .*b: /);
      });

      it('may be nested to 500 levels', async () => {
        const { ask, recorded } = await set();
        const outer = wrap('').length / 2;
        const nested = (levels: number) =>
          wrap(`{"id":"urn:a:1","type":"T","a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
        expect((await ask(request, { body: nested(499 - outer) })).status).to.equal(200);
        expect(recorded).to.have.length(1);
        const response = await ask(request, { body: nested(500 - outer) });
        expect(response.status).to.equal(400);
        expect((await problemIn(response)).detail).to.contain('500 levels');
      });

      it('may be compressed, with gzip and not with brotli', async () => {
        const { url } = await set();
        const [method = '', path] = request.split(' ');
        const send = (body: Buffer<ArrayBuffer>, coding: string) =>
          fetch(`${url}${path}`, {
            method,
            body,
            headers: { 'content-type': 'application/json', 'content-encoding': coding },
          });
        const zipped = gzipSync(wrap('{"id":"urn:a:1","type":"T","a":1}'));
        expect((await send(zipped, 'gzip')).status).to.equal(200);
        expect((await send(zipped, 'br')).status).to.equal(415);
        const cut = await send(zipped.subarray(0, -8), 'gzip');
        expect([cut.status, (await problemIn(cut)).type]).to.deep.equal([400, `${ETSI}InvalidRequest`]);
      });

      it('are refused above their limit with 413', async () => {
        const { ask } = await set({ bodyLimit: 1000, batchLimit: 1000 });
        const response = await ask(request, { body: wrap(`{"a":"${'x'.repeat(1000)}"}`) });
        expect([response.status, (await problemIn(response)).type]).to.deep.equal([413, 'about:blank']);
      });
    });
  }

  for (const type of [
    'application/merge-patch+json',
    'Application/Merge-Patch+JSON',
    'application/merge-patch+json; charset=utf-8',
  ]) {
    it(`of PATCH may be ${type}, which is read as application/json`, async () => {
      const { ask, recorded } = await set();
      const asked = 'PATCH /ngsi-ld/v1/entities/urn:a:1/attrs';
      const link = '<https://example.org/c.jsonld>; rel="http://www.w3.org/ns/json-ld#context"';
      const body = '{"speed":{"type":"Property","value":7}}';
      const answer = await ask(asked, { body, headers: { 'content-type': type, link } });
      expect(answer.status).to.equal(200);
      await ask(asked, { body, headers: { link } });
      const [patched, plain] = recorded.map(({ operation }) => operation);
      expect(patched).to.deep.equal(plain);
    });
  }
});
