import { expect } from 'chai';
import { acceptJson } from '../../src/http/media-types.js';
import { edges, errorIn, ok, routes } from './edge.js';
import { wires } from './wire/wire-client.js';

describe('Accept', () => {
  const start = edges();
  const dial = wires();
  const table = { 'GET /t': [acceptJson, ok] };

  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json;q=0.1',
    'application/json; charset=utf-8',
    'application/json; charset=UTF8',
    'application/json;charset="utf8"',
    'text/html, application/json;q=0.9, */*;q=0.8',
    'text/html,*/*;q=0.1',
    'text/html;q=1, application/*;q=0.001',
    'application/xml;q=0, */*',
  ]) {
    it(`may be ${accept}`, async () => {
      const { url } = await start([routes(table)]);
      expect((await fetch(`${url}/t`, { headers: { accept } })).status).to.equal(200);
    });
  }

  for (const accept of [
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*;q=0.5',
    'application/*;q=0, text/html',
    'application/ld+json',
    'json',
    'nonsense',
  ]) {
    it(`is refused with ${accept}`, async () => {
      const { url } = await start([routes(table)]);
      const response = await fetch(`${url}/t`, { headers: { accept } });
      expect(response.status).to.equal(406);
      expect(await errorIn(response)).to.deep.equal({
        message: `Accept must allow application/json, not only "${accept}"`,
        code: 406,
        title: 'Not Acceptable',
      });
    });
  }

  for (const header of ['', 'Accept:\r\n']) {
    it(`may be ${header === '' ? 'absent' : 'empty'}`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(`GET /t HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
      expect((await wire.response()).status).to.equal(200);
    });
  }
});
