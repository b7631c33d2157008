import { expect } from 'chai';
import { pathIds } from '../../../src/policy/http/path-ids.js';
import { edges, errorIn, ok, routes } from '../../http/edge.js';

describe('ids in paths', () => {
  const start = edges();
  const table = { 'GET /:tenantId/servers/:serverId': [pathIds, ok] };

  for (const id of ['a', 'Z', '0', '_', '-', 'a-b_C9', 'x'.repeat(256), '%41']) {
    it(`may be ${id.slice(0, 20)} (${id.length})`, async () => {
      const { url } = await start([routes(table)]);
      expect((await fetch(`${url}/${id}/servers/${id}`)).status).to.equal(200);
    });
  }

  for (const id of [
    'urn:ngsi-ld:Host:web-1',
    'db.example.org',
    '10.0.0.7:9100',
    '~root',
    'a.b',
    '...',
    '.a',
    ':',
    'urn%3Ax',
  ]) {
    it(`of servers may be ${id}, those of others may not`, async () => {
      const { url } = await start([routes(table)]);
      expect((await fetch(`${url}/t/servers/${id}`)).status).to.equal(200);
      const refused = await fetch(`${url}/${id}/servers/s`);
      expect(refused.status).to.equal(400);
      expect((await errorIn(refused)).message).to.match(
        /^tenantId in the path must match \[A-Za-z0-9_-\]\{1,256\}/,
      );
    });
  }

  for (const id of [
    'x'.repeat(257),
    'a%20b',
    '%00',
    'a%2Fb',
    '%C3%A4',
    '$where',
    '%0A',
    '..%2f',
    'a%0A',
    'a*b',
    'a;b',
    'a@b',
  ]) {
    it(`may not be ${id.slice(0, 20)} (${id.length})`, async () => {
      const { url } = await start([routes(table)]);
      const first = await fetch(`${url}/${id}/servers/s`);
      expect(first.status).to.equal(400);
      expect((await errorIn(first)).message).to.match(
        /^tenantId in the path must match \[A-Za-z0-9_-\]\{1,256\}/,
      );
      const second = await fetch(`${url}/t/servers/${id}`);
      expect(second.status).to.equal(400);
      expect((await errorIn(second)).message).to.match(
        /^serverId in the path must match \[A-Za-z0-9_.:~-\]\{1,256\} and be neither \. nor \.\., not/,
      );
    });
  }

  it('are named with 200 characters at most', async () => {
    const { url } = await start([routes(table)]);
    const { message } = await errorIn(await fetch(`${url}/${'é'.repeat(1000)}/servers/s`));
    expect(message.length).to.be.lessThan(270);
  });
});
