import { expect } from 'chai';
import type { OpenApiDocument } from '../../src/openapi/open-api.js';
import { scenes } from '../e2e/scene.js';
import { documentReader } from './documented.js';

describe('/openapi.json', () => {
  const open = scenes();
  const documentOf = async (url: string): Promise<OpenApiDocument> =>
    (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;

  it('refers to nothing that it lacks, whatever the settings leave out', async () => {
    for (const settings of [{ LEDGER: 'on' }, { LEDGER: 'off' }]) {
      const { url } = await open.service(settings);
      const document = await documentOf(url);
      const { schemas, responses, securitySchemes } = document.components;
      const missing = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)]
        .filter(([, kind, name]) => ({ schemas, responses })[kind as 'schemas']?.[name!] === undefined)
        .map(([reference]) => reference);
      expect(missing, settings.LEDGER).to.deep.equal([]);
      for (const { operation } of documentReader(document).operations)
        expect(Object.keys(securitySchemes)).to.include.members(operation.security.flatMap(Object.keys));
    }
  });

  it('has valid schemas, and each operation under an id and a tag of its own', async () => {
    const { url } = await open.service({ LEDGER: 'on' });
    const document = await documentOf(url);
    const reader = documentReader(document);
    const ids = reader.operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { operation, method, path } of reader.operations) {
      expect(
        operation.tags.every((tag) => tags.has(tag)),
        `${method} ${path}`,
      ).to.equal(true);
      for (const { schema } of operation.parameters) reader.faults(schema, '');
    }
    for (const name of Object.keys(document.components.schemas))
      reader.faults({ $ref: `#/components/schemas/${name}` }, {});
  });

  it('names each way of access once, and the 429 of operations that count wrong tokens of operators', async () => {
    const { url } = await open.service({ LEDGER: 'on' });
    for (const { operation } of documentReader(await documentOf(url)).operations) {
      const ways = operation.security.flatMap(Object.keys);
      expect(new Set(ways).size, operation.operationId).to.equal(ways.length);
      if (ways.includes('operatorToken'))
        expect(operation.responses, operation.operationId).to.have.property('429');
    }
  });

  it('is JSON for every client, whatever it accepts', async () => {
    const { url } = await open.service();
    for (const accept of ['text/html', 'application/vnd.oai.openapi+json', 'application/xml;q=0.1']) {
      const answer = await fetch(`${url}/openapi.json`, { headers: { accept } });
      expect(answer.status, accept).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      await answer.body?.cancel();
    }
  });

  it('names the type of the answer to headers that are too large: no path is read before it', async () => {
    const { url } = await open.service({ LEDGER: 'on' });
    const document = await documentOf(url);
    for (const path of ['/ngsi-ld/v1/entities', '/v1.0/{tenantId}']) {
      const answer = await fetch(url + path, { headers: { 'x-long': 'x'.repeat(20_000) } });
      expect(answer.status).to.equal(431);
      const { $ref = '' } = document.paths[path]!['get']!.responses['431']!;
      const types = Object.keys(document.components.responses[$ref.split('/').at(-1)!]!['content' as never]);
      expect(answer.headers.get('content-type')).to.match(new RegExp(`^${types.join()}; charset=utf-8$`));
      await answer.body?.cancel();
    }
  });

  it('needs no token, and is not sent again to a client that has it', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: 'let-the-operators-in' });
    const first = await fetch(`${url}/openapi.json`);
    expect([first.status, (await first.text()).length > 10_000]).to.deep.equal([200, true]);
    expect(first.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const etag = first.headers.get('etag')!;
    // fetch would add `no-cache`.
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    const second = await fetch(`${url}/openapi.json`, { headers });
    expect([second.status, await second.text()]).to.deep.equal([304, '']);
  });
});
